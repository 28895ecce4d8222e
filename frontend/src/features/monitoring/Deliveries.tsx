import { DeliveryList } from "../../components/DeliveryList";
import { useOutputKinds } from "../../lib/adapterKinds";
import { type OutputShown, titlesOf } from "../../model/deliveries";
import { DeliveredRows } from "./DeliveredRows";

interface Props {
  binding: string;
  outputs: readonly OutputShown[];
}

/** How far each output has come, and what lies there, where that can be read back. */
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
