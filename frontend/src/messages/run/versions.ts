/** Return the query version of a run, in words; unknown for some old runs. */
export function versionWords(version: number | null): string {
  return version === null ? "version unknown" : `version ${version}`;
}
