/** The short name of an organisation, used in its addresses. */

const SHORTEST = 3;
const LONGEST = 40;

/** Return 3 to 40 lower-case letters, digits and hyphens from a name, without a hyphen at either end; empty if too short. */
export function shortNameOf(name: string): string {
  const plain = name.normalize("NFKD").replace(/\p{M}/gu, "").replaceAll("ß", "ss").toLowerCase();
  const joined = plain.replace(/[^a-z0-9]+/g, "-").replace(/^-+/, "");
  const short = joined.slice(0, LONGEST).replace(/-+$/, "");
  return short.length < SHORTEST ? "" : short;
}
