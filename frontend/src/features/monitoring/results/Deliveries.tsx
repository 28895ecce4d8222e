import { DeliveryList } from "../../../components/deliveries/DeliveryList";
import { useOutputKinds } from "../../../lib/resources/adapterKinds";
import { type OutputOverview, titlesOf } from "../../../model/binding/deliveries";
import { DeliveredRows } from "./DeliveredRows";

interface Props {
  binding: string;
  outputs: readonly OutputOverview[];
}

/** The delivery progress of each output, and the delivered rows if they can be read back. */
export function Deliveries({ binding, outputs }: Props) {
  const kinds = useOutputKinds(true);
  const titles = titlesOf(kinds.data);
  const readable = new Set(kinds.data?.filter((kind) => kind.reads_back).map((kind) => kind.kind));
  return (
    <>
      <DeliveryList binding={binding} outputs={outputs} titles={titles} />
      {outputs
        .filter(({ adapter }) => readable.has(adapter.kind))
        .map((output) => (
          <DeliveredRows
            key={output.identity}
            binding={binding}
            output={output}
            title={titles[output.adapter.kind] ?? output.adapter.kind}
          />
        ))}
    </>
  );
}
