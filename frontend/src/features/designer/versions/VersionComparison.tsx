import { useId, useState } from "react";
import { ModalDialog } from "../../../components/actions/ModalDialog";
import { ErrorNote, Waiting } from "../../../components/notices/Notices";
import { Difference } from "../../../components/values/Difference";
import type { VersionResponse } from "../../../model/api";
import { ComparedGraph } from "./ComparedGraph";
import { DifferenceWords } from "./DifferenceWords";
import { useVersionDifference } from "./requests";

interface SideChoiceProps {
  label: string;
  versions: readonly VersionResponse[];
  value: string;
  onChange: (id: string) => void;
}

function SideChoice({ label, versions, value, onChange }: SideChoiceProps) {
  const id = useId();
  return (
    <span className="row">
      <label htmlFor={id}>{label}</label>
      <select id={id} className="input" value={value} onChange={(event) => onChange(event.target.value)}>
        {versions.map((version) => (
          <option key={version.id} value={version.id}>
            {`version ${version.number}${version.comment ? `: ${version.comment}` : ""}`}
          </option>
        ))}
      </select>
    </span>
  );
}

interface VersionComparisonProps {
  query: string;
  versions: readonly VersionResponse[];
  from: VersionResponse;
  to: VersionResponse;
  onClose: () => void;
}

/** The differences between two versions: in words, in the graph, and in the text. */
export function VersionComparison({ query, versions, from, to, onClose }: VersionComparisonProps) {
  const [ids, setIds] = useState({ before: from.id, after: to.id });
  const before = versions.find((version) => version.id === ids.before) ?? from;
  const after = versions.find((version) => version.id === ids.after) ?? to;
  const difference = useVersionDifference(query, before.id, after.id);
  const title = `From version ${before.number} to version ${after.number}`;
  return (
    <ModalDialog title={title} open onClose={onClose} wide>
      <p className="row">
        <SideChoice
          label="From"
          versions={versions}
          value={before.id}
          onChange={(id) => setIds({ ...ids, before: id })}
        />
        <SideChoice label="To" versions={versions} value={after.id} onChange={(id) => setIds({ ...ids, after: id })} />
      </p>
      <ErrorNote error={difference.error} onRetry={() => void difference.refetch()} />
      {difference.isPending ? <Waiting>Comparing…</Waiting> : null}
      {difference.data === undefined ? null : (
        <>
          <DifferenceWords
            differences={difference.data.differences}
            none="No change in meaning; only comments or layout may differ."
          />
          <ComparedGraph before={before.graph} after={after.graph} differences={difference.data.differences} />
        </>
      )}
      <Difference before={before.text} after={after.text} label="Changes" />
      <p className="row">
        <button type="button" className="button" onClick={onClose}>
          Close
        </button>
      </p>
    </ModalDialog>
  );
}
