import { Link } from "react-router";
import { Panel } from "../../../components/page/Panel";
import { Scroll } from "../../../components/page/Scroll";
import { Instant, Second } from "../../../components/values/Instant";
import { useSlug } from "../../../lib/account/session";
import { counted, formatCount, formatShare } from "../../../lib/numbers";
import type { DashboardInput, DashboardResponse } from "../../../model/api";
import { formatSpan, type Ticks } from "../../../model/time/ticks";

/** An age, or a word where it is not known. */
function age(now: Ticks, at: Ticks | null, missing: string): string {
  return at === null ? missing : formatSpan(Math.max(0, now - at));
}

function LaneTable({ input, now }: { input: DashboardInput; now: Ticks }) {
  const lanes = input.lanes ?? [];
  return (
    <>
      <Scroll label={`Table of lanes of ${input.name}`}>
        <table className="dense">
          <thead>
            <tr>
              <th>Lane of {input.name}</th>
              <th className="num">CTI behind</th>
              <th className="num">Dropped</th>
              <th className="num">Late</th>
              <th className="num">Silent for</th>
              <th className="num">Received</th>
              <th>State</th>
            </tr>
          </thead>
          <tbody>
            {lanes.map((lane) => (
              <tr key={lane.lane} data-tone={lane.dropped > 0 ? "bad" : undefined}>
                <th scope="row">{lane.lane}</th>
                <td className="num">{lane.state === "ended" ? "ended" : age(now, lane.cti, "no CTI yet")}</td>
                <td className="num loss">{formatCount(lane.dropped)}</td>
                <td className="num">{formatShare(lane.late, lane.received)}</td>
                <td className="num">{age(now, lane.last_arrival, "no data")}</td>
                <td className="num">{formatCount(lane.received)}</td>
                <td>{lane.state}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </Scroll>
      {input.other_lanes === 0 ? null : (
        <p className="more quiet">and {counted(input.other_lanes, "lane")} that delay less</p>
      )}
    </>
  );
}

/** The lanes of each input of the newest run, first the one that delays most. */
export function LanesPanel({ shown }: { shown: DashboardResponse }) {
  const listed = shown.inputs.filter((input) => (input.lanes ?? []).length > 0);
  return (
    <Panel title="Lanes" note="Of the newest run; first the lane that delays its input most" flush={listed.length > 0}>
      {listed.length === 0 ? <p className="quiet">No data: no run has reported lanes.</p> : null}
      {listed.map((input) => (
        <LaneTable key={input.name} input={input} now={shown.now} />
      ))}
    </Panel>
  );
}

/** The outputs and what waits for them; nothing without one. */
export function DeliveriesPanel({ shown }: { shown: DashboardResponse }) {
  const slug = useSlug();
  if (shown.deliveries.length === 0) return null;
  return (
    <Panel title="Deliveries" flush>
      <Scroll label="Table of deliveries">
        <table className="dense">
          <thead>
            <tr>
              <th>Output</th>
              <th>State</th>
              <th className="num">Rows waiting</th>
              <th className="num">Refused requests</th>
              <th>Failing since (UTC)</th>
              <th>Message</th>
            </tr>
          </thead>
          <tbody>
            {shown.deliveries.map((each) => (
              <tr key={each.node}>
                <th scope="row">
                  <Link to={`/t/${slug}/bindings/${shown.binding}`}>{each.node}</Link>
                </th>
                <td>{each.state ?? "unknown"}</td>
                <td className="num">{each.state === null ? "no data" : formatCount(each.waiting_rows)}</td>
                <td className="num">{each.state === null ? "no data" : formatCount(each.refused_requests)}</td>
                <td>{each.since === null ? null : <Instant ticks={each.since} />}</td>
                <td className="message">{each.message}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </Scroll>
    </Panel>
  );
}

/** The runs of the range, newest first. */
export function RunsPanel({ shown }: { shown: DashboardResponse }) {
  const slug = useSlug();
  if (shown.runs.length === 0) return null;
  return (
    <Panel title="Runs in this range" flush>
      <Scroll label="Table of runs in this range" tall>
        <table className="dense">
          <thead>
            <tr>
              <th>Run</th>
              <th>Version</th>
              <th>Started (UTC)</th>
              <th>Ended (UTC)</th>
            </tr>
          </thead>
          <tbody>
            {shown.runs.toReversed().map(({ run, number, version, begin, end }) => (
              <tr key={run}>
                <th scope="row">
                  <Link to={`/t/${slug}/runs/${run}`}>Run {number}</Link>
                </th>
                <td>{version === null ? "not stored" : `v${version}`}</td>
                <td>
                  <Second ticks={begin} />
                </td>
                <td>{end === null ? "active" : <Second ticks={end} />}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </Scroll>
      {shown.older_runs === 0 ? null : (
        <p className="more quiet">Older runs of this range are left out of all figures on this page.</p>
      )}
    </Panel>
  );
}
