/** The node commands of canvas and outline, in one list, so that everything works by mouse and by keyboard. */

import { useMemo, useRef } from "react";
import type { GraphNode } from "../../../model/api";
import { copiedText, nodesIn } from "../../../model/graph/edit/clipboard";
import type { Positions } from "../../../model/graph/edit/design";
import { freshNode, pastedIds } from "../../../model/graph/edit/edits";
import type { NodeKind } from "../../../model/graph/edit/kinds";
import { type Designer, useDesigner } from "../page/designer";
import { useStreamNames } from "../requests";

export interface NodeCommands {
  /** Add a node: after the selected one, between it and its readers; or where it is dropped. */
  add: (kind: NodeKind, at?: { after?: string | undefined; position?: { x: number; y: number } }) => void;
  addBefore: (kind: NodeKind, before: string, port: string) => void;
  remove: (ids: readonly string[]) => void;
  /** Return the JSON of the selection; null without a selection. */
  copied: () => string | null;
  /** Paste nodes; false if the text contains none. */
  paste: (text: string) => boolean;
  duplicate: (ids: readonly string[]) => void;
}

type KnownFieldsOf = (kind: NodeKind, source: string | undefined) => Record<string, unknown>;

/** Return default fields of a new node that follow from what it will read. */
function useKnown(): KnownFieldsOf {
  const { schemas } = useDesigner();
  const streams = useStreamNames().data;
  return (kind, source) => {
    if (kind === "input") return { stream: streams?.[0] ?? "my_stream" };
    const fields = source === undefined ? undefined : schemas[source];
    return fields === undefined ? {} : ofFields(kind, fields);
  };
}

function ofFields(kind: NodeKind, fields: Readonly<Record<string, string>>): Record<string, unknown> {
  const names = Object.keys(fields);
  const [first] = names;
  const measured = names.find((name) => /long|double|decimal/.test(fields[name] ?? ""));
  if (kind === "project" && first) return { columns: names.map((name) => ({ name, of: name })) };
  if (kind === "top_k" && measured) return { by: measured };
  return kind === "clip" && first ? { keys: [first] } : {};
}

function pasteInto({ graph, act, select, positions }: Designer, nodes: readonly GraphNode[]): void {
  if (graph === null) return;
  const fresh = pastedIds(graph, nodes);
  const placed: Record<string, { x: number; y: number }> = {};
  for (const [before, now] of fresh) {
    const from = positions[before];
    if (from !== undefined) placed[now] = { x: from.x + 40, y: from.y + 60 };
  }
  act.editAll([{ do: "paste", nodes }], placed);
  select([...fresh.values()]);
}

function commands(now: () => Designer, known: () => KnownFieldsOf): NodeCommands {
  const copied = () => {
    const { graph, selected } = now();
    return graph === null || selected.length === 0 ? null : copiedText(graph, selected);
  };
  return {
    add: (kind, { after, position } = {}) => {
      const { graph, act, select } = now();
      if (graph === null) return;
      const node = freshNode(graph, kind, known()(kind, after));
      const placed: Positions | undefined = position === undefined ? undefined : { [node.id]: position };
      const source = after === undefined ? {} : { after, between: true };
      act.editAll([{ do: "add", node, ...source }], placed);
      select([node.id]);
    },
    addBefore: (kind, before, port) => {
      const { graph, act, select } = now();
      if (graph === null) return;
      const node = freshNode(graph, kind, known()(kind, undefined));
      act.edit({ do: "addBefore", node, before, port });
      select([node.id]);
    },
    remove: (ids) => {
      const { act, select } = now();
      act.edit({ do: "remove", ids });
      select([]);
    },
    copied,
    paste: (text) => {
      const nodes = nodesIn(text);
      if (nodes === null) return false;
      pasteInto(now(), nodes);
      return true;
    },
    duplicate: (ids) => {
      const { graph } = now();
      if (graph !== null && ids.length > 0) {
        pasteInto(
          now(),
          graph.nodes.filter(({ id }) => ids.includes(id)),
        );
      }
    },
  };
}

export function useNodeCommands(): NodeCommands {
  const designer = useRef(useDesigner());
  designer.current = useDesigner();
  const knownFields = useRef(useKnown());
  knownFields.current = useKnown();
  return useMemo(
    () =>
      commands(
        () => designer.current,
        () => knownFields.current,
      ),
    [],
  );
}
