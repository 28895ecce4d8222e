import { useState } from "react";
import { Choices } from "../../../components/actions/Choices";
import { ReasonedButton } from "../../../components/actions/Reasoned";
import { ErrorNote, Waiting } from "../../../components/notices/Notices";
import { Panel } from "../../../components/page/Panel";
import { Scroll } from "../../../components/page/Scroll";
import { Difference } from "../../../components/values/Difference";
import { ApiFailure } from "../../../lib/api/client";
import { counted } from "../../../lib/numbers";
import type { MergeConflict, VersionMerge, VersionResponse } from "../../../model/api";
import { DifferenceWords } from "./DifferenceWords";
import { type Side, useMerge } from "./requests";

interface MergePanelProps {
  error: unknown;
  query: string;
  /** The id of the user's base version, and the version that another person has saved since. */
  base: string;
  theirs: VersionResponse;
  /** The user's text as SQL; null while it has errors. */
  mine: string | null;
  onMerged: (text: string) => void;
  onReload: () => void;
  onOverwrite: () => void;
}

const SIDES = [
  ["theirs", "Theirs"],
  ["mine", "Mine"],
] as const;
const SHOWN = [
  ["merged", "Merged, against theirs"],
  ["theirs", "Their changes"],
  ["mine", "My changes"],
] as const;

interface ConflictProps {
  conflict: MergeConflict;
  chosen: Side | undefined;
  onChoose: (side: Side) => void;
}

function Conflict({ conflict, chosen, onChoose }: ConflictProps) {
  const about = conflict.node ?? "the query's name";
  return (
    <tr>
      <th scope="row">{about}</th>
      <td>{conflict.theirs.join("; ")}</td>
      <td>{conflict.mine.join("; ")}</td>
      <td>
        <Choices<Side | "none">
          label={`Version to keep for ${about}`}
          options={SIDES}
          value={chosen ?? "none"}
          onChange={(side) => (side === "none" ? undefined : onChoose(side))}
        />
      </td>
    </tr>
  );
}

interface ConflictsProps {
  conflicts: readonly MergeConflict[];
  choices: Readonly<Record<string, Side>>;
  onChoose: (key: string, side: Side) => void;
}

function Conflicts({ conflicts, choices, onChoose }: ConflictsProps) {
  if (conflicts.length === 0) return null;
  return (
    <Scroll label="Table of conflicts">
      <table>
        <caption>Changed by both in different ways</caption>
        <thead>
          <tr>
            <th>Item</th>
            <th>Theirs</th>
            <th>Mine</th>
            <th>Keep</th>
          </tr>
        </thead>
        <tbody>
          {conflicts.map((conflict) => (
            <Conflict
              key={conflict.key}
              conflict={conflict}
              chosen={choices[conflict.key]}
              onChoose={(side) => onChoose(conflict.key, side)}
            />
          ))}
        </tbody>
      </table>
    </Scroll>
  );
}

interface TextsProps {
  base: string;
  theirs: VersionResponse;
  mine: string;
  merged: string;
}

function Texts({ base, theirs, mine, merged }: TextsProps) {
  const [shown, setResponse] = useState<(typeof SHOWN)[number][0]>("merged");
  const sides = {
    merged: [theirs.text, merged],
    theirs: [base, theirs.text],
    mine: [base, mine],
  } as const;
  const [before, after] = sides[shown];
  return (
    <>
      <Choices label="Comparison" options={SHOWN} value={shown} onChange={setResponse} />
      <Difference before={before} after={after} label="Changes by others" />
    </>
  );
}

function BothSides({ found }: { found: VersionMerge }) {
  return (
    <div className="two">
      <div>
        <h3>They changed</h3>
        <DifferenceWords differences={found.theirs} none="Only comments or layout." />
      </div>
      <div>
        <h3>You changed</h3>
        <DifferenceWords differences={found.mine} none="Only comments or layout." />
      </div>
    </div>
  );
}

/** Another person saved a version first: the changes of each side, the conflicts, and a merged text. */
export function MergePanel(props: MergePanelProps) {
  const { error, base, theirs, mine } = props;
  if (!(error instanceof ApiFailure) || error.status !== 409 || base === theirs.id || mine === null) return null;
  return <OpenMerge {...props} mine={mine} />;
}

interface MergedProps extends Omit<MergePanelProps, "error" | "query" | "base"> {
  mine: string;
  found: VersionMerge;
  choices: Readonly<Record<string, Side>>;
  onChoose: (key: string, side: Side) => void;
}

function Merged({ theirs, mine, found, choices, onChoose, onMerged }: MergedProps) {
  const open = found.conflicts.filter(({ key }) => choices[key] === undefined).length;
  return (
    <>
      <BothSides found={found} />
      <Conflicts conflicts={found.conflicts} choices={choices} onChoose={onChoose} />
      <Texts base={found.base_text} theirs={theirs} mine={mine} merged={found.text} />
      <p className="row">
        <ReasonedButton
          reason={open > 0 ? `Resolve ${counted(open, "conflict")} first.` : null}
          kind="primary"
          onClick={() => onMerged(found.text)}
        >
          Use the merged text
        </ReasonedButton>
      </p>
    </>
  );
}

function OpenMerge(props: MergePanelProps & { mine: string }) {
  const { query, base, theirs, mine, onReload, onOverwrite } = props;
  const [choices, setChoices] = useState<Record<string, Side>>({});
  const merge = useMerge(query, base, theirs.id, mine, choices);
  const comment = theirs.comment ? ` (${theirs.comment})` : "";
  const note = `${theirs.author ?? "Somebody"} saved version ${theirs.number}${comment} while you were editing. Both versions are kept.`;
  return (
    <Panel title="Changes by others" note={note}>
      <div className="stack">
        <ErrorNote error={merge.error} onRetry={() => void merge.refetch()} />
        {merge.isPending ? <Waiting>Merging…</Waiting> : null}
        {merge.data === undefined ? null : (
          <Merged
            {...props}
            found={merge.data}
            choices={choices}
            onChoose={(key, side) => setChoices({ ...choices, [key]: side })}
          />
        )}
        <p className="row">
          <button type="button" className="button" onClick={onReload}>
            Load theirs, discard mine
          </button>
          <button type="button" className="button" data-kind="danger" onClick={onOverwrite}>
            Overwrite with mine
          </button>
        </p>
      </div>
    </Panel>
  );
}
