/** The generated table of fields for each kind of node, and the single selected node. */

export {
  AGGREGATE_FIELDS,
  AGGREGATE_FORMS,
  COLUMN_FIELDS,
  type KindForm,
  NODE_FORMS,
  type NodeField,
  WINDOW_FORMS,
} from "../../../generated/nodeForms";

/** Return the only node of a selection; undefined for none or several. */
export function onlyOne(ids: readonly string[]): string | undefined {
  const [only, ...others] = ids;
  return others.length === 0 ? only : undefined;
}
