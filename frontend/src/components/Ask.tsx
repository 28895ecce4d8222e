import type { ReactNode } from "react";
import { Dialog, Heading, Modal, ModalOverlay } from "react-aria-components";

interface AskProps {
  title: string;
  open: boolean;
  onClose: () => void;
  children: ReactNode;
}

/** A dialog that keeps the focus inside and gives it back; Escape closes it. */
export function Ask({ title, open, onClose, children }: AskProps) {
  return (
    <ModalOverlay
      className="dialog-ground"
      isOpen={open}
      isDismissable
      onOpenChange={(isOpen) => {
        if (!isOpen) onClose();
      }}
    >
      <Modal className="dialog">
        <Dialog className="stack">
          <Heading slot="title">{title}</Heading>
          {children}
        </Dialog>
      </Modal>
    </ModalOverlay>
  );
}
