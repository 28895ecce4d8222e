export { TokensPage } from "./TokensPage";
