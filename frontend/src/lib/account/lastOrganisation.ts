/** The last used organisation, to return to from pages outside organisations. */

import type { Me, MyOrganisation } from "../../model/api";
import { readPreference, storePreference } from "../browser/preferences";

const NAME = "organisation";

export function rememberOrganisation(slug: string): void {
  storePreference(NAME, slug);
}

/** Return the last used organisation that the person still belongs to, else the first; undefined without any. */
export function lastOrganisation(me: Me): MyOrganisation | undefined {
  const slug = readPreference(NAME);
  return me.organisations.find((each) => each.slug === slug) ?? me.organisations[0];
}
