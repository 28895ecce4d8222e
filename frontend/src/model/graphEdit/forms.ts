/** The generated table of what can be said of each kind of node, and which one node or none a selection is. */

export {
  AGGREGATE_FIELDS,
  AGGREGATE_FORMS,
  COLUMN_FIELDS,
  type KindForm,
  NODE_FORMS,
  type NodeField,
  WINDOW_FORMS,
} from "../../generated/nodeForms";

/** The only one of a selection; undefined where none or several are selected. */
export function onlyOne(ids: readonly string[]): string | undefined {
  const [only, ...others] = ids;
  return others.length === 0 ? only : undefined;
}
