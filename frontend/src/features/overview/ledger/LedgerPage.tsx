import { useState } from "react";
import { useParams, useSearchParams } from "react-router";
import { Choices } from "../../../components/actions/Choices";
import { ErrorNote, Notice, Waiting } from "../../../components/notices/Notices";
import { LiveTabs } from "../../../components/page/LiveTabs";
import { PageHead } from "../../../components/page/PageHead";
import { Panel } from "../../../components/page/Panel";
import { Scroll } from "../../../components/page/Scroll";
import { useSlug } from "../../../lib/account/session";
import { formatCount } from "../../../lib/numbers";
import type { LedgerResponse } from "../../../model/api";
import {
  DAY_RANGES,
  type DayRange,
  dayParams,
  dayRangeFault,
  dayRangeOf,
  ledgerVerdict,
} from "../../../model/live/ledger";
import { LedgerTable } from "./LedgerTable";
import { ledgerFile, useLedger } from "./requests";
import "./ledger.css";

interface RangeProps {
  shown: LedgerResponse;
  range: DayRange;
  onRange: (range: DayRange) => void;
}

/** A choice of days: so many until today, or a first and a last one. */
function RangeChoice({ shown, range, onRange }: RangeProps) {
  const [first, setFirst] = useState(shown.first);
  const [last, setLast] = useState(shown.last);
  const fault = dayRangeFault(first, last);
  const chosen = "days" in range ? range.days : 0;
  return (
    <form
      className="ledger-range"
      onSubmit={(event) => {
        event.preventDefault();
        if (fault === null) onRange({ first, last });
      }}
    >
      <Choices
        label="Days of the ledger"
        options={DAY_RANGES}
        value={chosen}
        onChange={(days) => onRange({ days: days as 30 })}
      />
      <label>
        From{" "}
        <input
          className="input"
          type="date"
          value={first}
          max={last}
          onChange={(event) => setFirst(event.currentTarget.value)}
        />
      </label>
      <label>
        to <input className="input" type="date" value={last} onChange={(event) => setLast(event.currentTarget.value)} />
      </label>
      <button className="button" type="submit" disabled={fault !== null}>
        Show
      </button>
      {fault === null ? null : <span className="bad">{fault}</span>}
    </form>
  );
}

function Deliveries({ shown }: { shown: LedgerResponse }) {
  if (shown.deliveries.length === 0) return null;
  return (
    <Panel title="Deliveries now" note="Result rows that have not reached their target; not counted by day" flush>
      <Scroll label="Table of deliveries">
        <table className="dense">
          <thead>
            <tr>
              <th>Output</th>
              <th>State</th>
              <th className="num">Rows waiting</th>
              <th className="num">Refused requests</th>
              <th className="num">Rows deleted before delivery</th>
            </tr>
          </thead>
          <tbody>
            {shown.deliveries.map((each) => (
              <tr key={each.node}>
                <th scope="row">{each.node}</th>
                <td>{each.state ?? "unknown"}</td>
                <td className="num">
                  {each.waiting_rows === null
                    ? "unknown"
                    : `${each.waiting_exact ? "" : "at most "}${formatCount(each.waiting_rows)}`}
                </td>
                <td className="num">
                  {each.refused_requests === null ? "unknown" : formatCount(each.refused_requests)}
                </td>
                <td className="num">{each.deleted_rows === null ? "unknown" : formatCount(each.deleted_rows)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </Scroll>
    </Panel>
  );
}

function Verification() {
  return (
    <details className="panel ledger-proof">
      <summary>Verify a downloaded file</summary>
      <ol>
        <li>
          Check that the line that starts with “signature” is the last one. Refuse a file with anything after it: the
          signature covers only the bytes before it.
        </li>
        <li>Take all bytes of the file before this line.</li>
        <li>
          Verify the Ed25519 signature in that line over these bytes with the key in the line “public_key”. Both are
          base64, after “ed25519:”.
        </li>
        <li>
          Compare the key with those that this installation publishes at{" "}
          <a href="/api/ledger-keys/">/api/ledger-keys/</a>.
        </li>
        <li>Add up the lines “day”: the lines “definition” explain each column, and the line “total” has the sums.</li>
      </ol>
    </details>
  );
}

/** The ledger of a binding: received rows by day and outcome, which add up, also as a signed file. */
export function LedgerPage() {
  const { binding = "" } = useParams();
  const slug = useSlug();
  const [params, setParams] = useSearchParams();
  const range = dayRangeOf(params);
  const { data: shown, error, refetch } = useLedger(binding, range);
  const verdict = shown === undefined ? null : ledgerVerdict(shown);
  return (
    <div className="home">
      <PageHead
        title={shown === undefined ? "Ledger" : `Ledger of ${shown.name}`}
        crumb={{ to: `/t/${slug}/live/${binding}`, label: shown?.name ?? "Query" }}
        actions={
          <a className="button" data-kind="primary" href={ledgerFile(slug, binding, range)} download>
            Download signed CSV
          </a>
        }
      />
      <LiveTabs binding={binding} />
      <ErrorNote error={error} onRetry={() => void refetch()} />
      {shown === undefined || verdict === null ? (
        error === null ? (
          <Waiting>Loading the ledger…</Waiting>
        ) : null
      ) : (
        <>
          <Notice tone={verdict.tone}>
            <p>{verdict.words}</p>
          </Notice>
          <RangeChoice
            key={`${shown.first} ${shown.last}`}
            shown={shown}
            range={range}
            onRange={(next) => setParams(dayParams(next), { replace: true })}
          />
          <Panel title="Rows by day" note="A row counts on the day on which its batch was reported, in UTC" flush>
            <LedgerTable shown={shown} />
          </Panel>
          <Deliveries shown={shown} />
          <Verification />
        </>
      )}
    </div>
  );
}
