/** The form of one node: its name, its comment, and the fields of its kind. */

import { lazy, Suspense, useId, useMemo } from "react";
import { Waiting } from "../../../components/notices/Notices";
import { KIND_LABELS } from "../../../messages/definition/summary";
import type { GraphNode } from "../../../model/api";
import { renameProblem } from "../../../model/graph/edit/edits";
import { NODE_FORMS, onlyOne } from "../../../model/graph/edit/forms";
import { KINDS } from "../../../model/graph/edit/kinds";
import { portsOf, readableFor } from "../../../model/graph/edit/ports";
import { counted } from "../../../model/text/counts";
import { useDesigner } from "../page/designer";
import { useStreamNames } from "../requests";
import { useTyped } from "./fields";
import type { FormScope } from "./formScope";
import { InputTime } from "./InputTime";
import { NameField } from "./NameField";
import { NodeField } from "./NodeField";
import { stepsHaveConditions, WithinSuggestion } from "./WithinSuggestion";

const SequenceSteps = lazy(async () => ({ default: (await import("./SequenceForm")).SequenceSteps }));

/** Return the guide page that explains the node. */
export function guideOf(node: GraphNode): string {
  return node.kind === "window" ? `/guide/window_${node.window.kind}` : `/guide/${node.kind}`;
}

function useScope(node: GraphNode): FormScope {
  const { graph, schemas, known, readOnly, locked } = useDesigner();
  const streams = useStreamNames().data;
  return useMemo(() => {
    const sides = portsOf(node).flatMap(({ reads }) => (schemas[reads] === undefined ? [] : [schemas[reads]]));
    const [first = {}, ...others] = sides;
    return {
      node,
      readOnly: readOnly || locked !== null,
      incoming: Object.assign({}, ...sides.toReversed()) as Record<string, string>,
      shared: Object.keys(first).filter((name) => others.every((side) => name in side)),
      streams: streams ?? [],
      readable: graph === null ? [] : readableFor(graph, node.id),
      faults: known.filter((fault) => fault.node === node.id),
    };
  }, [node, graph, schemas, known, readOnly, locked, streams]);
}

function Comment({ node, readOnly }: { node: GraphNode; readOnly: boolean }) {
  const { comments, act } = useDesigner();
  const id = useId();
  const { typed, type } = useTyped(comments[node.id] ?? "", (text) => {
    act.edit({ do: "comment", id: node.id, text }, `comment ${node.id}`);
    return null;
  });
  return (
    <div className="field">
      <label htmlFor={id}>Comment</label>
      <textarea
        id={id}
        rows={2}
        maxLength={4000}
        value={typed}
        readOnly={readOnly}
        placeholder="Explain the purpose. Also written into the SQL."
        onChange={(event) => type(event.target.value)}
      />
    </div>
  );
}

function NodeName({ node, readOnly }: { node: GraphNode; readOnly: boolean }) {
  const { graph, act, select } = useDesigner();
  return (
    <NameField
      label="Name"
      value={node.id}
      readOnly={readOnly}
      problemOf={(typed) => (graph === null ? null : renameProblem(graph, node.id, typed))}
      onChange={(to) => {
        act.edit({ do: "rename", from: node.id, to });
        select([to]);
      }}
    />
  );
}

/** The fields of a node's kind; conditions of a sequence that its steps show are left out. */
function fieldsOf(node: GraphNode) {
  const fields = NODE_FORMS[node.kind]?.fields ?? [];
  const inSteps = node.kind === "match_recognize" && stepsHaveConditions(node);
  return inSteps ? fields.filter(({ name }) => name !== "define") : fields;
}

/** The form of one node. Valid input goes into the query as it is typed. */
export function NodeForm({ node }: { node: GraphNode }) {
  const scope = useScope(node);
  const { act } = useDesigner();
  const whole = scope.faults.filter(({ field }) => field === null || field === "");
  const values = node as unknown as Readonly<Record<string, unknown>>;
  return (
    <div className="stack node-form">
      <p className="quiet small">
        {KINDS[node.kind].sentence}{" "}
        <a href={guideOf(node)} target="_blank" rel="noopener">
          {KIND_LABELS[node.kind]} in the guide
        </a>
      </p>
      {whole.map((fault) => (
        <p key={fault.code + fault.message} className="wrong">
          {fault.message} {fault.remedy}
        </p>
      ))}
      <NodeName node={node} readOnly={scope.readOnly} />
      {node.kind === "match_recognize" ? (
        <Suspense fallback={<Waiting>Loading…</Waiting>}>
          <WithinSuggestion node={node} scope={scope} />
          <SequenceSteps scope={scope} node={node} />
        </Suspense>
      ) : null}
      {fieldsOf(node).map((field) => (
        <NodeField
          key={`${node.kind} ${field.name}`}
          scope={scope}
          field={field}
          path={field.name}
          value={values[field.name] ?? null}
          onChange={(value) =>
            act.edit({ do: "set", id: node.id, fields: { [field.name]: value } }, `set ${node.id} ${field.name}`)
          }
        />
      ))}
      {node.kind === "input" ? <InputTime node={node.id} stream={node.stream} /> : null}
      <Comment node={node} readOnly={scope.readOnly} />
    </div>
  );
}

/** The form of the selected node. */
export function Inspector() {
  const { graph, selected } = useDesigner();
  const only = onlyOne(selected);
  const node = graph?.nodes.find(({ id }) => id === only);
  if (node === undefined) {
    return (
      <p className="quiet inspector-empty">
        {counted(selected.length, "node is", "nodes are")} selected. Move, copy or delete them together. To edit a node,
        select only that one.
      </p>
    );
  }
  return (
    <section className="inspector" aria-label={`Form of ${node.id}`}>
      <h3>
        {KIND_LABELS[node.kind]} <code>{node.id}</code>
      </h3>
      <NodeForm key={node.kind} node={node} />
    </section>
  );
}
