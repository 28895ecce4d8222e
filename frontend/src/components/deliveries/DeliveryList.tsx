import { deliveryWords, fixWords, lostWords, type OutputOverview } from "../../model/binding/deliveries";
import { Scroll } from "../page/Scroll";
import { Instant } from "../values/Instant";
import { ToneMark } from "../values/StateMark";
import { RefusedRequests } from "./RefusedRequests";

interface Props {
  binding: string;
  outputs: readonly OutputOverview[];
  /** The title of each known kind of output. */
  titles: Readonly<Record<string, string>>;
}

/** Return a short form of the output's destination, taken from its options. */
function placeOf({ adapter: { options } }: OutputOverview): string {
  const named = ["host", "url", "bucket", "prefix", "table", "topic", "path"].map((name) => options[name]);
  return named.filter((each) => typeof each === "string").join(", ");
}

function Fault({ binding, output }: { binding: string; output: OutputOverview }) {
  const { delivery } = output;
  const lost = delivery === null ? null : lostWords(delivery);
  if (delivery === null || (delivery.message === null && lost === null && delivery.refused_requests === 0)) return null;
  return (
    <tr>
      <td colSpan={6}>
        <div className="wide-cell">
          {delivery.message === null ? null : (
            <p>
              {delivery.message} {fixWords(delivery)}
              {delivery.retry_at === null ? null : (
                <>
                  {" "}
                  The next attempt is at <Instant ticks={delivery.retry_at} />.
                </>
              )}
            </p>
          )}
          {lost === null ? null : <p>{lost}</p>}
          <RefusedRequests binding={binding} output={output} />
        </div>
      </td>
    </tr>
  );
}

function Row({ output, title }: { output: OutputOverview; title: string }) {
  const { delivery } = output;
  const { tone, label, waiting } = deliveryWords(output);
  return (
    <tr>
      <th scope="row">{output.node}</th>
      <td>
        {title}
        <div className="quiet small">{placeOf(output)}</div>
      </td>
      <td>
        <ToneMark tone={tone} label={label} />
      </td>
      <td>
        {delivery?.delivered_at ? (
          <Instant ticks={delivery.delivered_at} />
        ) : (
          <span className="quiet">{delivery === null || delivery.delivered === null ? "nothing yet" : "unknown"}</span>
        )}
      </td>
      <td className="figures">{waiting === "" ? "none" : waiting}</td>
      <td>{delivery?.waiting_since ? <Instant ticks={delivery.waiting_since} /> : null}</td>
    </tr>
  );
}

/** The delivery progress of each output. */
export function DeliveryList({ binding, outputs, titles }: Props) {
  return (
    <Scroll label="Outputs">
      <table>
        <thead>
          <tr>
            <th>Output</th>
            <th>Goes to</th>
            <th>State</th>
            <th title="When the last delivered batch was committed">Delivered up to</th>
            <th>Rows waiting</th>
            <th>Since</th>
          </tr>
        </thead>
        {outputs.map((output) => (
          <tbody key={output.identity}>
            <Row output={output} title={titles[output.adapter.kind] ?? output.adapter.kind} />
            <Fault binding={binding} output={output} />
          </tbody>
        ))}
      </table>
    </Scroll>
  );
}
