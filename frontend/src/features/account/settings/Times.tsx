import { Instant } from "../../../components/values/Instant";

/** A time that allauth sends as seconds since 1970. */
export function Moment({ seconds }: { seconds: number }) {
  return <Instant ticks={Math.floor(seconds) * 1_000_000} />;
}
