/** The version of a query that a run ran, in words; it is not known of some runs of before it was kept. */
export function versionWords(version: number | null): string {
  return version === null ? "version not known" : `version ${version}`;
}
