export { AdminPages } from "./AdminPages";
export { TokensPage } from "./tokens/TokensPage";
