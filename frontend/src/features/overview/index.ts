export { DashboardPage } from "./dashboard/DashboardPage";
export { HomePage } from "./HomePage";
export { LedgerPage } from "./ledger/LedgerPage";
