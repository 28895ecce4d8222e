export { TokensPage, TokensPage as AdminPages } from "./TokensPage";
