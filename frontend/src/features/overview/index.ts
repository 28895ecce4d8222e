export { DashboardPage } from "./dashboard/DashboardPage";
export { HomePage } from "./HomePage";
export { IncidentPage } from "./incidents/IncidentPage";
export { LedgerPage } from "./ledger/LedgerPage";
