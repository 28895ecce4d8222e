import type { ReactNode } from "react";
import { Dialog, Heading, Modal, ModalOverlay } from "react-aria-components";

interface ModalDialogProps {
  title: string;
  open: boolean;
  onClose: () => void;
  /** For tables and drawings, which need more room than sentences. */
  wide?: boolean;
  children: ReactNode;
}

/** A dialog that traps the focus and restores it afterwards; Escape closes it. */
export function ModalDialog({ title, open, onClose, wide = false, children }: ModalDialogProps) {
  return (
    <ModalOverlay
      className="dialog-ground"
      isOpen={open}
      isDismissable
      onOpenChange={(isOpen) => {
        if (!isOpen) onClose();
      }}
    >
      <Modal className={wide ? "dialog wide" : "dialog"}>
        <Dialog className="stack">
          <Heading slot="title">{title}</Heading>
          {children}
        </Dialog>
      </Modal>
    </ModalOverlay>
  );
}
