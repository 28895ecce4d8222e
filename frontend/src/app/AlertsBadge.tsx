import { useAlerts } from "../lib/resources/alerts";

/** The number of alerts that fire, next to their page's name; nothing without one. */
export function AlertsBadge() {
  const firing = useAlerts().data?.counts.firing ?? 0;
  if (firing === 0) return null;
  return (
    <span className="badge" data-tone="bad">
      {firing}
      <span className="visually-hidden"> firing</span>
    </span>
  );
}
