/** One configuration whose commands are carried out, and what nft then lists of it in each chain. */
export interface RenderCase {
  readonly name: string;
  readonly yaml: string;
  /** net.ipv4.conf.all.rp_filter of the node; 0 without it. */
  readonly rpFilterAll?: number;
  readonly filter: Chains;
  /** What commands print of it, word for word. */
  readonly listings?: Readonly<Record<string, string>>;
}

/** The rules of our nft table as nft lists them, by chain; empty where there is no table. */
export type Chains = Readonly<Record<string, readonly string[]>>;
