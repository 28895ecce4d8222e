/** The organisation that was looked at last, to come back to from pages outside of any. */

import type { Me, MyOrganisation } from "../model/api";

const KEY = "punctual-organisation";

export function rememberOrganisation(slug: string): void {
  try {
    localStorage.setItem(KEY, slug);
  } catch {
    // Storage is refused: one comes back to the first organisation.
  }
}

/** The last one of those that one still belongs to, else the first; undefined without any. */
export function lastOrganisation(me: Me): MyOrganisation | undefined {
  let slug: string | null = null;
  try {
    slug = localStorage.getItem(KEY);
  } catch {
    // As above.
  }
  return me.organisations.find((each) => each.slug === slug) ?? me.organisations[0];
}
