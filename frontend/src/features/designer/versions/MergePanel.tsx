import { useState } from "react";
import { Choices } from "../../../components/Choices";
import { Difference } from "../../../components/Difference";
import { ErrorNote, Waiting } from "../../../components/Notices";
import { Panel } from "../../../components/Panel";
import { ReasonedButton } from "../../../components/Reasoned";
import { Scroll } from "../../../components/Scroll";
import { ApiFailure } from "../../../lib/api";
import { counted } from "../../../lib/numbers";
import type { MergeConflict, VersionMerge, VersionShown } from "../../../model/api";
import { DifferenceWords } from "./DifferenceWords";
import { type Side, useMerge } from "./requests";

interface MergePanelProps {
  error: unknown;
  query: string;
  /** The id of the version that I began with, and the version that somebody made meanwhile. */
  base: string;
  theirs: VersionShown;
  /** What I typed, as SQL; null while it cannot be read. */
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
  ["theirs", "What they changed"],
  ["mine", "What I changed"],
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
          label={`Which side holds for ${about}`}
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
        <caption>Both changed these in different ways</caption>
        <thead>
          <tr>
            <th>What</th>
            <th>Theirs</th>
            <th>Mine</th>
            <th>Which holds</th>
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
  theirs: VersionShown;
  mine: string;
  merged: string;
}

function Texts({ base, theirs, mine, merged }: TextsProps) {
  const [shown, setShown] = useState<(typeof SHOWN)[number][0]>("merged");
  const sides = {
    merged: [theirs.text, merged],
    theirs: [base, theirs.text],
    mine: [base, mine],
  } as const;
  const [before, after] = sides[shown];
  return (
    <>
      <Choices label="Which texts are compared" options={SHOWN} value={shown} onChange={setShown} />
      <Difference before={before} after={after} label="What was changed meanwhile" />
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

/** Somebody saved another version meanwhile: what each changed, what both changed, and one text with the changes of both. */
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
          reason={open > 0 ? `Decide ${counted(open, "conflict")} first.` : null}
          kind="primary"
          onClick={() => onMerged(found.text)}
        >
          Put the merged text into the editor
        </ReasonedButton>
      </p>
    </>
  );
}

function OpenMerge(props: MergePanelProps & { mine: string }) {
  const { query, base, theirs, mine, onReload, onOverwrite } = props;
  const [choices, setChoices] = useState<Record<string, Side>>({});
  const merge = useMerge(query, base, theirs.id, mine, choices);
  const said = theirs.comment ? ` (${theirs.comment})` : "";
  const note = `${theirs.author ?? "Somebody"} saved version ${theirs.number}${said} while you typed. Nothing is lost: both are here.`;
  return (
    <Panel title="What was changed meanwhile" note={note}>
      <div className="stack">
        <ErrorNote error={merge.error} onRetry={() => void merge.refetch()} />
        {merge.isPending ? <Waiting>Bringing both together…</Waiting> : null}
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
            Take theirs, discard mine
          </button>
          <button type="button" className="button" data-kind="danger" onClick={onOverwrite}>
            Save mine over it
          </button>
        </p>
      </div>
    </Panel>
  );
}
