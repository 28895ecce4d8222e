export { AdminPages } from "./AdminPages";
export { TokensPage } from "./TokensPage";
