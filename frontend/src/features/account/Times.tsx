import { Instant } from "../../components/Instant";

/** A moment that allauth gives in seconds since 1970. */
export function Moment({ seconds }: { seconds: number }) {
  return <Instant ticks={Math.floor(seconds) * 1_000_000} />;
}
