/** The CustomResourceDefinitions of this package, sorted by name, ready to be applied. */
export function customResourceDefinitions(): readonly object[] {
  return [];
}
