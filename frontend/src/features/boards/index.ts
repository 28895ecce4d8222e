export { BoardPage } from "./BoardPage";
export { BoardsPage } from "./BoardsPage";
