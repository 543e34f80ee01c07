import { type Environment, processEnvironment, sayingOnce } from "../../../provider/environment.js";
import { start } from "../../support/network-fixtures.js";

/** Real connections, but a clock that moves only when the provider sleeps, and lines that are kept. */
export class TestEnvironment implements Environment {
  readonly lines: string[] = [];
  readonly connect: Environment["connect"];
  private clock = start;

  /** @param onSleep what happens in the cluster meanwhile */
  constructor(
    private readonly onSleep: (now: number) => void = () => undefined,
    configuration: Readonly<Record<string, string>> = {},
  ) {
    this.connect = processEnvironment((key) => configuration[key]).connect;
  }

  now = (): number => this.clock;

  sleep = async (ms: number): Promise<void> => {
    this.clock += ms;
    this.onSleep(this.clock);
  };

  log = (line: string): void => {
    this.lines.push(line);
  };

  logOnce = sayingOnce(this.log);
}
