/** The organisation that was looked at last, to come back to from pages outside of any. */

import type { Me, MyOrganisation } from "../model/api";
import { keep, kept } from "./kept";

const NAME = "organisation";

export function rememberOrganisation(slug: string): void {
  keep(NAME, slug);
}

/** The last one of those that one still belongs to, else the first; undefined without any. */
export function lastOrganisation(me: Me): MyOrganisation | undefined {
  const slug = kept(NAME);
  return me.organisations.find((each) => each.slug === slug) ?? me.organisations[0];
}
