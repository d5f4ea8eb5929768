-- A refund that no provider can send is sent by a person. They say by which transaction, and that is checked; one
-- transaction sends one refund.

-- Only what a row may say is changed, and no row.
PRAGMA writable_schema = ON;
UPDATE sqlite_schema SET sql = replace(sql, '(''requested'', ''sent'', ''succeeded'', ''failed'')',
    '(''requested'', ''sent'', ''by_hand'', ''succeeded'', ''failed'')')
WHERE type = 'table' AND name = 'refunds';
PRAGMA writable_schema = RESET;

ALTER TABLE refunds ADD COLUMN hand_what TEXT CHECK (state <> 'by_hand' OR hand_what IS NOT NULL);
ALTER TABLE refunds ADD COLUMN hand_note TEXT CHECK (hand_note IS NULL OR hand_what IS NOT NULL);
ALTER TABLE refunds ADD COLUMN hand_sent_at INTEGER CHECK (hand_sent_at IS NULL OR hand_what IS NOT NULL);

CREATE UNIQUE INDEX refunds_reference ON refunds (provider, reference) WHERE reference IS NOT NULL;
CREATE INDEX refunds_by_hand ON refunds (id) WHERE state = 'by_hand';
