SELECT COALESCE(MAX(place), -1) + 1 FROM chain_deposits WHERE key = $1
;
INSERT INTO chain_deposits (attempt_id, session_id, key, place, address, chain, coin, contract, decimals, charge,
        rate, rate_source, opened_at, since_block, before, swept, touched, looked)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, 0, 0) ON CONFLICT DO NOTHING
;
SELECT d.attempt_id, d.session_id, d.key, d.place, d.address, d.chain, d.coin, d.contract, d.decimals, d.charge,
            d.rate, d.rate_source, d.opened_at, d.since_block, d.before, d.swept FROM chain_deposits AS d WHERE d.attempt_id = $1
;
SELECT d.attempt_id, d.session_id, d.key, d.place, d.address, d.chain, d.coin, d.contract, d.decimals, d.charge,
            d.rate, d.rate_source, d.opened_at, d.since_block, d.before, d.swept FROM chain_deposits AS d WHERE d.address = $1
;
SELECT t.chain, t.reference, t.hash, t.address, t.contract, t.atoms, t.block, t.block_hash, t.seen_at, t.gone_at,
            t.told FROM chain_transfers AS t WHERE t.address = $1 AND t.chain = $2 ORDER BY t.block, t.reference
;
SELECT d.attempt_id, t.chain, t.reference, t.hash, t.address, t.contract, t.atoms, t.block, t.block_hash, t.seen_at, t.gone_at,
            t.told FROM chain_transfers AS t JOIN chain_deposits AS d ON d.address = t.address
     WHERE t.chain = $1 AND t.block >= $2 AND t.gone_at IS NULL ORDER BY t.block, t.reference
;
SELECT d.attempt_id, d.session_id, d.key, d.place, d.address, d.chain, d.coin, d.contract, d.decimals, d.charge,
            d.rate, d.rate_source, d.opened_at, d.since_block, d.before, d.swept, t.atoms FROM chain_deposits AS d LEFT JOIN chain_transfers AS t
                ON t.address = d.address AND t.chain = d.chain AND t.contract IS NULL AND t.gone_at IS NULL
             WHERE d.chain = $1 AND d.opened_at >= $2 ORDER BY d.attempt_id
;
SELECT d.attempt_id, d.session_id, d.key, d.place, d.address, d.chain, d.coin, d.contract, d.decimals, d.charge,
            d.rate, d.rate_source, d.opened_at, d.since_block, d.before, d.swept, t.atoms FROM chain_deposits AS d LEFT JOIN chain_transfers AS t
                ON t.address = d.address AND t.chain = d.chain AND t.contract IS NULL AND t.gone_at IS NULL
             WHERE d.chain = $1 AND d.attempt_id IN (
        SELECT id FROM payment_attempts WHERE state IN ('intended', 'open', 'in_flight')
        UNION ALL
        SELECT o.attempt_id FROM chain_deposits AS o LEFT JOIN sessions AS s ON s.id = o.session_id
        WHERE o.chain = $1 AND o.opened_at >= $3
            AND (o.opened_at >= $2 OR s.due_at IS NOT NULL OR s.updated_at >= $2)) ORDER BY d.attempt_id
;
SELECT chain, block, head, at, recent, version FROM chain_cursors WHERE chain = $1
;
SELECT chain, block, head, at, recent, version FROM chain_cursors ORDER BY chain
;
INSERT INTO chain_cursors (chain, block, head, at, recent, version) VALUES ($1, $2, $3, $4, $5, $6)
     ON CONFLICT (chain) DO NOTHING
;
UPDATE chain_cursors SET block = $2, head = $3, at = $4, recent = $5, version = $6
     WHERE chain = $1 AND version = $7
;
UPDATE chain_transfers SET gone_at = $3 WHERE chain = $1 AND block >= $2 AND gone_at IS NULL
;
UPDATE chain_transfers SET hash = $4, contract = $5, atoms = $6, block = $7, block_hash = $8, gone_at = NULL,
        stray = (SELECT COALESCE(contract, '') <> COALESCE(CAST($5 AS TEXT), '') FROM chain_deposits WHERE address = $3)
     WHERE chain = $1 AND reference = $2 AND address = $3
;
INSERT INTO chain_transfers (chain, reference, address, hash, contract, atoms, block, block_hash, seen_at, stray,
        told)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9,
        (SELECT COALESCE(contract, '') <> COALESCE(CAST($5 AS TEXT), '') FROM chain_deposits WHERE address = $3), FALSE)
     ON CONFLICT (chain, reference, address) DO NOTHING
;
UPDATE chain_deposits SET swept = $3 WHERE address = $2 AND chain = $1
;
UPDATE chain_deposits SET before = $3 WHERE address = $2 AND chain = $1 AND before IS NULL
;
UPDATE chain_deposits SET touched = touched + 1 WHERE attempt_id = $1
;
SELECT attempt_id, touched FROM chain_deposits WHERE chain = $1 AND touched > looked ORDER BY attempt_id
;
UPDATE chain_deposits SET looked = $2 WHERE attempt_id = $1 AND looked < $2 AND touched >= $2
;
SELECT d.attempt_id, d.session_id, d.key, d.place, d.address, d.chain, d.coin, d.contract, d.decimals, d.charge,
            d.rate, d.rate_source, d.opened_at, d.since_block, d.before, d.swept, t.chain, t.reference, t.hash, t.address, t.contract, t.atoms, t.block, t.block_hash, t.seen_at, t.gone_at,
            t.told FROM chain_transfers AS t JOIN chain_deposits AS d ON d.address = t.address
     WHERE t.chain = $1 AND t.block <= $2 AND t.stray AND NOT t.told AND t.gone_at IS NULL
     ORDER BY t.block, t.reference LIMIT 256
;
UPDATE chain_transfers SET told = TRUE
     WHERE chain = $1 AND reference = $2 AND address = $3 AND NOT told AND gone_at IS NULL
;
INSERT INTO postings (entry_id, line, vendor_id, account, currency, amount) VALUES ($1, $2, $3, $4, $5, $6)
;
INSERT INTO entries (id, vendor_id, kind, cause, session_id, currency, at) VALUES ($1, $2, $3, $4, $5, $6, $7)
;
INSERT INTO settlements (entry_id, vendor_id, session_id, currency, amount, due_at)
     VALUES ($1, $2, $3, $4, $5, $6)
;
DELETE FROM settlements WHERE entry_id = $1
;
INSERT INTO wallets (vendor_id, currency, version) VALUES ($1, $2, $4)
     ON CONFLICT (vendor_id, currency) DO UPDATE SET version = excluded.version WHERE wallets.version = $3
;
UPDATE entries SET seq = $2, hash = $3 WHERE id = $1
;
INSERT INTO balances (vendor_id, currency, account, balance, seq) VALUES ($1, $2, $3, $4, $5)
     ON CONFLICT (vendor_id, currency, account) DO UPDATE
     SET balance = balances.balance + excluded.balance, seq = excluded.seq
;
SELECT e.id, e.vendor_id, e.kind, e.cause, e.session_id, e.currency, e.at, e.seq, e.hash, p.account, p.amount
             FROM (SELECT * FROM entries WHERE kind = $1 AND cause = $2) AS e JOIN postings AS p ON p.entry_id = e.id ORDER BY e.id, p.line
;
SELECT e.id, e.vendor_id, e.kind, e.cause, e.session_id, e.currency, e.at, e.seq, e.hash, p.account, p.amount
             FROM (SELECT * FROM entries WHERE id = $1) AS e JOIN postings AS p ON p.entry_id = e.id ORDER BY e.id, p.line
;
SELECT e.id, e.vendor_id, e.kind, e.cause, e.session_id, e.currency, e.at, e.seq, e.hash, p.account, p.amount
             FROM (SELECT * FROM entries WHERE session_id = $1) AS e JOIN postings AS p ON p.entry_id = e.id ORDER BY e.id, p.line
;
SELECT e.id, e.vendor_id, e.kind, e.cause, e.session_id, e.currency, e.at, e.seq, e.hash, p.account, p.amount
             FROM (SELECT * FROM entries WHERE seq IS NULL ORDER BY id LIMIT $1) AS e JOIN postings AS p ON p.entry_id = e.id ORDER BY e.id, p.line
;
SELECT e.id, e.vendor_id, e.kind, e.cause, e.session_id, e.currency, e.at, e.seq, e.hash, p.account, p.amount
             FROM (SELECT * FROM entries WHERE seq IS NOT NULL AND seq > $1 ORDER BY seq LIMIT $2) AS e JOIN postings AS p ON p.entry_id = e.id ORDER BY e.seq, p.line
;
SELECT seq, hash FROM entries WHERE seq IS NOT NULL ORDER BY seq DESC LIMIT 1
;
SELECT COUNT(*) FROM entries WHERE seq IS NULL
;
SELECT currency, account, CAST(SUM(amount) AS BIGINT) FROM (
        SELECT currency, account, balance AS amount FROM balances WHERE vendor_id = $1
        UNION ALL
        SELECT p.currency, p.account, p.amount FROM entries AS e JOIN postings AS p ON p.entry_id = e.id
        WHERE e.seq IS NULL AND e.vendor_id = $1) AS parts
     GROUP BY currency, account ORDER BY currency, account
;
SELECT vendor_id, currency, account, balance, seq FROM balances
     WHERE (vendor_id, currency, account) > ($1, $2, $3) ORDER BY vendor_id, currency, account LIMIT $4
;
SELECT CAST(COALESCE(SUM(p.amount), 0) AS BIGINT) FROM postings AS p JOIN entries AS e ON e.id = p.entry_id
     WHERE p.vendor_id = $1 AND p.currency = $2 AND p.account = $3 AND e.seq IS NOT NULL AND e.seq <= $4
;
SELECT CAST(COALESCE(SUM(amount), 0) AS BIGINT) FROM postings
     WHERE vendor_id = $1 AND currency = $2 AND account = $3 AND entry_id > $4
;
SELECT e.id, e.vendor_id, e.kind, e.cause, e.session_id, e.currency, e.at, p.amount
     FROM (SELECT entry_id, amount FROM postings
        WHERE vendor_id = $1 AND currency = $2 AND account = $3 AND entry_id < $4
        ORDER BY entry_id DESC LIMIT $5) AS p JOIN entries AS e ON e.id = p.entry_id ORDER BY e.id DESC
;
SELECT version FROM wallets WHERE vendor_id = $1 AND currency = $2
;
SELECT entry_id, vendor_id, session_id, currency, amount, due_at FROM settlements
     WHERE due_at <= $1 ORDER BY due_at LIMIT $2
;
SELECT (SELECT COUNT(*) FROM settlements), (SELECT COUNT(*) FROM settlements WHERE due_at <= $1)
;
SELECT MIN(due_at) FROM settlements
;
SELECT entry_id, vendor_id, session_id, currency, amount, due_at FROM settlements WHERE entry_id = $1
;
INSERT INTO payouts (id, vendor_id, currency, amount, destination, state, asked_at, asked_by)
     VALUES ($1, $2, $3, $4, $5, 'asked', $6, $7)
;
UPDATE payouts SET state = $2, decided_at = $3, decided_by = $4, note = $5 WHERE id = $1 AND state = 'asked'
;
UPDATE payouts SET state = $2, ended_at = $3, ended_by = $4, note = $5 WHERE id = $1 AND state = 'approved'
;
SELECT id, vendor_id, currency, amount, destination, asked_at, asked_by, state, note,
                decided_at, decided_by, ended_at, ended_by FROM payouts WHERE id = $1
;
SELECT id, vendor_id, currency, amount, destination, asked_at, asked_by, state, note,
                decided_at, decided_by, ended_at, ended_by FROM payouts WHERE vendor_id = $1 AND id < $2 ORDER BY id DESC LIMIT $3
;
SELECT id, vendor_id, currency, amount, destination, asked_at, asked_by, state, note,
                decided_at, decided_by, ended_at, ended_by FROM payouts WHERE id < $1 ORDER BY id DESC LIMIT $2
;
SELECT id, vendor_id, currency, amount, destination, asked_at, asked_by, state, note,
                decided_at, decided_by, ended_at, ended_by FROM payouts WHERE state IN ('asked', 'approved') AND id < $1 ORDER BY id DESC LIMIT $2
;
SELECT COUNT(*) FROM payouts WHERE state IN ('asked', 'approved')
;
INSERT INTO receipts (id, session_id, vendor_id, kind, link, amount_minor, currency, email, language, created_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
;
INSERT INTO dispatches (about, kind, vendor_id, session_id, recipient, created_at, state, attempts, due_at, fence)
     VALUES ($1, $2, $3, $4, $5, $6, 'queued', 0, $6, 0)
;
INSERT INTO dispatches (about, kind, vendor_id, recipient, created_at, state, attempts, due_at, fence)
     SELECT $1, 'undelivered', $2, $3, $4, 'queued', 0, CASE WHEN told.at > CAST($4 AS BIGINT) - CAST($5 AS BIGINT)
        THEN told.at + CAST($5 AS BIGINT) ELSE CAST($4 AS BIGINT) END, 0
     FROM (SELECT MAX(COALESCE(ended_at, created_at)) AS at FROM dispatches
        WHERE kind = 'undelivered' AND vendor_id = $2 AND attempts > 0) AS told
     WHERE NOT EXISTS (SELECT 1 FROM dispatches WHERE kind = 'undelivered' AND vendor_id = $2 AND attempts = 0)
        AND NOT EXISTS (SELECT 1 FROM dispatches WHERE kind = 'undelivered' AND about = $1)
;
UPDATE dispatches SET fence = fence + 1, attempts = attempts + 1, due_at = $4
     WHERE about = $1 AND kind = $2 AND fence = $3 AND state = 'queued'
;
UPDATE dispatches SET state = $4, due_at = $5, ended_at = $6, last_error = $7
     WHERE about = $1 AND kind = $2 AND fence = $3 AND state = 'queued'
;
SELECT id, session_id, vendor_id, kind, link, amount_minor, currency, email, language, created_at
             FROM receipts WHERE id = $1
;
SELECT id, session_id, vendor_id, kind, link, amount_minor, currency, email, language, created_at
             FROM receipts WHERE link = $1
;
SELECT id, session_id, vendor_id, kind, link, amount_minor, currency, email, language, created_at
             FROM receipts WHERE session_id = $1 ORDER BY created_at, id
;
SELECT about, kind, vendor_id, session_id, recipient, created_at, attempts, fence, state, due_at, ended_at,
                last_error
             FROM dispatches WHERE due_at <= $1 ORDER BY due_at LIMIT $2
;
SELECT about, kind, vendor_id, session_id, recipient, created_at, attempts, fence, state, due_at, ended_at,
                last_error
             FROM dispatches WHERE session_id = $1 ORDER BY created_at, about, kind
;
SELECT about, kind, vendor_id, session_id, recipient, created_at, attempts, fence, state, due_at, ended_at,
                last_error
             FROM dispatches WHERE kind = 'undelivered' AND vendor_id = $1 ORDER BY created_at, about
;
SELECT about, kind, vendor_id, session_id, recipient, created_at, attempts, fence, state, due_at, ended_at,
                last_error
             FROM dispatches WHERE state = 'failed' ORDER BY ended_at DESC LIMIT $1
;
SELECT (SELECT COUNT(*) FROM dispatches WHERE due_at IS NOT NULL),
        (SELECT COUNT(*) FROM dispatches WHERE state = 'failed' AND ended_at >= $1)
;
SELECT MIN(due_at) FROM dispatches WHERE due_at IS NOT NULL
;
INSERT INTO refunds (id, version, vendor_id, session_id, transaction_id, action_id, number, method, provider,
        payment, amount, currency, fee, pending, pending_until, reason, requested_by, created_at, state, failure,
        reference, attempts, check_at, updated_at, hand_what, hand_note, hand_sent_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23,
        $24, $25, $26, $27)
     ON CONFLICT (transaction_id, number) DO NOTHING
;
UPDATE refunds SET version = $3, state = $4, failure = $5, reference = $6, attempts = $7, check_at = $8,
        updated_at = $9, hand_what = $10, hand_note = $11, hand_sent_at = $12
     WHERE id = $1 AND version = $2
;
SELECT id, version, vendor_id, session_id, transaction_id, action_id, number, method, provider, payment,
                amount, currency, fee, pending, pending_until, reason, requested_by, created_at, state, failure, reference,
                attempts, check_at, updated_at, hand_what, hand_note, hand_sent_at
             FROM refunds WHERE id = $1
;
SELECT id, version, vendor_id, session_id, transaction_id, action_id, number, method, provider, payment,
                amount, currency, fee, pending, pending_until, reason, requested_by, created_at, state, failure, reference,
                attempts, check_at, updated_at, hand_what, hand_note, hand_sent_at
             FROM refunds WHERE session_id = $1 ORDER BY id
;
SELECT id, version, vendor_id, session_id, transaction_id, action_id, number, method, provider, payment,
                amount, currency, fee, pending, pending_until, reason, requested_by, created_at, state, failure, reference,
                attempts, check_at, updated_at, hand_what, hand_note, hand_sent_at
             FROM refunds WHERE id < $1 ORDER BY id DESC LIMIT $2
;
SELECT id, version, vendor_id, session_id, transaction_id, action_id, number, method, provider, payment,
                amount, currency, fee, pending, pending_until, reason, requested_by, created_at, state, failure, reference,
                attempts, check_at, updated_at, hand_what, hand_note, hand_sent_at
             FROM refunds WHERE vendor_id = $1 AND id < $2 ORDER BY id DESC LIMIT $3
;
SELECT id, version, vendor_id, session_id, transaction_id, action_id, number, method, provider, payment,
                amount, currency, fee, pending, pending_until, reason, requested_by, created_at, state, failure, reference,
                attempts, check_at, updated_at, hand_what, hand_note, hand_sent_at
             FROM refunds WHERE state = 'by_hand' AND id < $1 ORDER BY id DESC LIMIT $2
;
SELECT COUNT(*) FROM refunds WHERE state = 'by_hand'
;
SELECT id, version, vendor_id, session_id, transaction_id, action_id, number, method, provider, payment,
                amount, currency, fee, pending, pending_until, reason, requested_by, created_at, state, failure, reference,
                attempts, check_at, updated_at, hand_what, hand_note, hand_sent_at
             FROM refunds WHERE provider = $1 AND reference = $2
;
SELECT a.id FROM actions a JOIN transactions t ON t.id = a.transaction_id
     WHERE a.resolution IS NULL AND a.kind = 'late' AND t.provider = $1
        AND NOT EXISTS (SELECT 1 FROM refunds r WHERE r.transaction_id = t.id)
        AND NOT EXISTS (SELECT 1 FROM transactions x WHERE x.session_id = t.session_id AND x.reversed)
     ORDER BY a.id LIMIT $2
;
SELECT id, version, vendor_id, session_id, transaction_id, action_id, number, method, provider, payment,
                amount, currency, fee, pending, pending_until, reason, requested_by, created_at, state, failure, reference,
                attempts, check_at, updated_at, hand_what, hand_note, hand_sent_at
             FROM refunds WHERE check_at <= $1 ORDER BY check_at LIMIT $2
;
SELECT (SELECT COUNT(*) FROM refunds WHERE check_at IS NOT NULL),
        (SELECT COUNT(*) FROM refunds WHERE check_at <= $1)
;
SELECT MIN(check_at) FROM refunds WHERE check_at IS NOT NULL
;
SELECT t.id, CAST(CASE WHEN t.status NOT IN ('pending', 'paid', 'failed', 'expired') OR t.updated_at < t.created_at
        OR (t.status = 'pending') <> (t.due_at IS NOT NULL) OR (t.status = 'failed') <> (t.failure_reason IS NOT NULL)
        OR t.status = 'pending' AND t.updated_at <> t.created_at THEN 1 ELSE 0 END AS BIGINT) FROM sessions AS t WHERE t.id > $1 ORDER BY t.id LIMIT $2
;
SELECT t.id, CAST(CASE WHEN (SELECT COUNT(*) FROM callbacks AS c WHERE c.session_id = t.id AND c.event LIKE 'session.%')
            <> CASE WHEN t.status = 'pending' THEN 0 ELSE 1 END
        OR EXISTS (SELECT 1 FROM callbacks AS c WHERE c.session_id = t.id AND c.event LIKE 'session.%'
            AND (c.event <> 'session.' || t.status OR c.vendor_id <> t.vendor_id OR c.created_at <> t.updated_at)) THEN 1 ELSE 0 END AS BIGINT) FROM sessions AS t WHERE t.id > $1 ORDER BY t.id LIMIT $2
;
SELECT t.id, CAST(CASE WHEN (SELECT COUNT(*) FROM payment_attempts AS a
        WHERE a.session_id = t.id AND a.state IN ('intended', 'open', 'in_flight')) > 1 THEN 1 ELSE 0 END AS BIGINT) FROM sessions AS t WHERE t.id > $1 ORDER BY t.id LIMIT $2
;
SELECT t.id, CAST(CASE WHEN t.status = 'paid' AND (SELECT COALESCE(SUM(m.amount_minor), 0) + CASE WHEN COUNT(*) > 2 THEN COUNT(*) - 2 ELSE 0 END
            FROM transactions AS m WHERE m.session_id = t.id AND m.currency = t.currency AND NOT m.reversed)
            < t.amount_minor
        OR EXISTS (SELECT 1 FROM transactions AS m WHERE m.session_id = t.id
            AND (m.currency <> t.currency OR m.vendor_id <> t.vendor_id)) THEN 1 ELSE 0 END AS BIGINT) FROM sessions AS t WHERE t.id > $1 ORDER BY t.id LIMIT $2
;
SELECT t.id, CAST(CASE WHEN t.state NOT IN ('queued', 'sending', 'delivered', 'undelivered', 'no_target')
        OR (t.state IN ('queued', 'sending')) <> (t.due_at IS NOT NULL) OR (t.state = 'no_target') <> (t.target IS NULL)
        OR t.state = 'delivered' AND t.delivered_at IS NULL
        OR (SELECT COUNT(*) FROM callback_attempts AS a WHERE a.callback_id = t.id AND a.number > t.attempts) > 0 THEN 1 ELSE 0 END AS BIGINT) FROM callbacks AS t WHERE t.id > $1 ORDER BY t.id LIMIT $2
;
SELECT t.id, CAST(CASE WHEN NOT ((SELECT COUNT(*) FROM entries AS e WHERE e.session_id = t.id AND e.kind = 'payment')
        <> CASE WHEN t.status = 'paid' THEN 1 ELSE 0 END) THEN 0 WHEN t.updated_at < COALESCE((SELECT at FROM entries ORDER BY id LIMIT 1), 9223372036854775807) THEN 2 ELSE 1 END AS BIGINT)
             FROM sessions AS t WHERE t.id > $1 ORDER BY t.id LIMIT $2
;
SELECT t.id, CAST(CASE WHEN t.status <> 'paid'
            OR EXISTS (SELECT 1 FROM receipts AS r WHERE r.session_id = t.id AND r.kind = 'paid') THEN 0
        WHEN t.updated_at < COALESCE((SELECT created_at FROM receipts ORDER BY id LIMIT 1), 9223372036854775807) THEN 2
        ELSE 1 END AS BIGINT)
     FROM sessions AS t WHERE t.id > $1 ORDER BY t.id LIMIT $2
;
SELECT t.id, CAST(CASE WHEN NOT (t.amount_minor > 0 AND NOT t.reversed AND (
        (SELECT COUNT(*) FROM entries AS e WHERE e.cause = t.id AND e.kind = 'payment')
        + (SELECT COUNT(*) FROM entries AS e WHERE e.cause = t.id AND e.kind = 'suspense')
            NOT BETWEEN 1 AND CASE WHEN t.over THEN 2 ELSE 1 END
        OR (SELECT COALESCE(SUM(-p.amount), 0) FROM entries AS e JOIN postings AS p ON p.entry_id = e.id
            WHERE e.cause = t.id AND e.kind IN ('payment', 'suspense') AND p.account = 'clearing:' || t.provider
                AND p.currency = t.currency)
            NOT BETWEEN t.amount_minor AND CASE WHEN t.over THEN 9223372036854775807 ELSE t.amount_minor END)) THEN 0 WHEN t.created_at < COALESCE((SELECT at FROM entries ORDER BY id LIMIT 1), 9223372036854775807) THEN 2 ELSE 1 END AS BIGINT)
             FROM transactions AS t WHERE t.id > $1 ORDER BY t.id LIMIT $2
;
SELECT t.id, CAST(CASE WHEN t.reversed AND (NOT EXISTS (SELECT 1 FROM actions AS a WHERE a.session_id = t.session_id
            AND (a.kind = 'reversed' AND a.transaction_id = t.id
                OR a.kind = 'disputed' AND a.resolution IN ('charge', 'absorb') AND a.amount_minor = t.amount_minor))
        OR (SELECT COALESCE(SUM(p.amount), 0) FROM entries AS e JOIN postings AS p ON p.entry_id = e.id
            WHERE e.cause = t.id AND e.kind = 'reversal' AND p.account = 'clearing:' || t.provider
                AND p.currency = t.currency AND p.vendor_id = t.vendor_id) <> t.amount_minor) THEN 1 ELSE 0 END AS BIGINT) FROM transactions AS t WHERE t.id > $1 ORDER BY t.id LIMIT $2
;
SELECT t.id, CAST(CASE WHEN (SELECT COUNT(*) FROM postings AS p WHERE p.entry_id = t.id) < 2
        OR (SELECT SUM(p.amount) FROM postings AS p WHERE p.entry_id = t.id) <> 0
        OR EXISTS (SELECT 1 FROM postings AS p
            WHERE p.entry_id = t.id AND (p.currency <> t.currency OR p.vendor_id <> t.vendor_id)) THEN 1 ELSE 0 END AS BIGINT) FROM entries AS t WHERE t.id > $1 ORDER BY t.id LIMIT $2
;
SELECT p.entry_id, CAST(CASE WHEN EXISTS (SELECT 1 FROM entries AS e WHERE e.id = p.entry_id) THEN 0 ELSE 1 END
        AS BIGINT)
     FROM postings AS p WHERE p.entry_id > $1 GROUP BY p.entry_id ORDER BY p.entry_id LIMIT $2
;
SELECT t.id, CAST(CASE WHEN (SELECT COALESCE(SUM(p.amount), 0) FROM entries AS e JOIN postings AS p ON p.entry_id = e.id
            WHERE e.cause = t.id AND e.kind = 'payout' AND p.account = 'payouts' AND p.currency = t.currency
                AND p.vendor_id = t.vendor_id) <> t.amount
        OR (SELECT COALESCE(SUM(p.amount), 0) FROM entries AS e JOIN postings AS p ON p.entry_id = e.id
            WHERE e.cause = t.id AND e.kind = 'payout_sent' AND p.account = 'payouts')
            <> CASE WHEN t.state = 'sent' THEN -t.amount ELSE 0 END
        OR (SELECT COALESCE(SUM(p.amount), 0) FROM entries AS e JOIN postings AS p ON p.entry_id = e.id
            WHERE e.cause = t.id AND e.kind = 'payout_failed' AND p.account = 'payouts')
            <> CASE WHEN t.state IN ('refused', 'failed') THEN -t.amount ELSE 0 END THEN 1 ELSE 0 END AS BIGINT) FROM payouts AS t WHERE t.id > $1 ORDER BY t.id LIMIT $2
;
SELECT t.id, CAST(CASE WHEN (SELECT COALESCE(SUM(p.amount), 0) FROM entries AS e JOIN postings AS p ON p.entry_id = e.id
            WHERE e.cause = COALESCE(t.action_id, t.id) AND e.kind = 'refund' AND p.account = 'refunds'
                AND p.currency = t.currency AND p.vendor_id = t.vendor_id) <> t.amount
        OR (SELECT COALESCE(SUM(p.amount), 0) FROM entries AS e JOIN postings AS p ON p.entry_id = e.id
            WHERE e.cause = t.id AND e.kind = 'refund_sent' AND p.account = 'refunds')
            <> CASE WHEN t.state = 'succeeded' THEN -t.amount ELSE 0 END
        OR (SELECT COALESCE(SUM(p.amount), 0) FROM entries AS e JOIN postings AS p ON p.entry_id = e.id
            WHERE e.cause = t.id AND e.kind = 'refund_failed' AND p.account = 'refunds')
            <> CASE WHEN t.state = 'failed' THEN -t.amount ELSE 0 END
        OR t.action_id IS NULL AND (SELECT SUM(r.amount) FROM refunds AS r
            WHERE r.transaction_id = t.transaction_id AND r.action_id IS NULL AND r.state <> 'failed')
            > (SELECT m.amount_minor FROM transactions AS m WHERE m.id = t.transaction_id)
            + COALESCE((SELECT SUM(p.amount) FROM transactions AS m
                JOIN actions AS a ON a.session_id = m.session_id AND a.transaction_id = m.id
                JOIN entries AS e ON e.kind = 'accepted' AND e.cause = a.id
                JOIN postings AS p ON p.entry_id = e.id AND p.account = 'available'
                WHERE m.session_id = t.session_id AND m.provider = t.provider AND m.reference = t.payment), 0) THEN 1 ELSE 0 END AS BIGINT) FROM refunds AS t WHERE t.id > $1 ORDER BY t.id LIMIT $2
;
SELECT t.id, CAST(CASE WHEN t.resolution IN ('accept', 'refund')
        AND EXISTS (SELECT 1 FROM entries AS e WHERE e.kind = 'suspense' AND e.cause = t.transaction_id)
        AND (SELECT COUNT(*) FROM entries AS e WHERE e.kind = 'accepted' AND e.cause = t.id)
            + (SELECT COUNT(*) FROM entries AS e WHERE e.kind = 'refund' AND e.cause = t.id) <> 1
        OR t.resolution IN ('charge', 'absorb')
        AND (t.kind = 'disputed'
            OR EXISTS (SELECT 1 FROM entries AS e WHERE e.kind = 'reversal' AND e.cause = t.transaction_id))
        AND (SELECT COUNT(*) FROM entries AS e WHERE e.cause = t.id
            AND e.kind = CASE WHEN t.resolution = 'charge' THEN 'charged' ELSE 'absorbed' END) <> 1 THEN 1 ELSE 0 END AS BIGINT) FROM actions AS t WHERE t.id > $1 ORDER BY t.id LIMIT $2
;
SELECT t.id, CAST(CASE WHEN t.kind = 'refund' AND EXISTS (SELECT 1 FROM postings AS p WHERE p.entry_id = t.id AND p.account = 'refunds')
        AND NOT EXISTS (SELECT 1 FROM refunds AS r WHERE r.id = t.cause)
        AND NOT EXISTS (SELECT 1 FROM refunds AS r WHERE r.session_id = t.session_id AND r.action_id = t.cause) THEN 1 ELSE 0 END AS BIGINT) FROM entries AS t WHERE t.id > $1 ORDER BY t.id LIMIT $2
;
SELECT CAST(COALESCE(MAX(ABS(total)), 0) AS BIGINT) FROM (SELECT SUM(amount) AS total FROM (
        SELECT currency, balance AS amount FROM balances WHERE vendor_id = $1 AND account = 'pending'
        UNION ALL
        SELECT p.currency, p.amount FROM entries AS e JOIN postings AS p ON p.entry_id = e.id
        WHERE e.seq IS NULL AND e.vendor_id = $1 AND p.account = 'pending'
        UNION ALL
        SELECT currency, -amount FROM settlements WHERE vendor_id = $1) AS parts GROUP BY currency) AS sums
;
SELECT p.currency, CAST(SUM(p.amount) AS BIGINT) FROM actions AS a
        JOIN entries AS e ON e.kind = 'reversal' AND e.cause = a.transaction_id
        JOIN postings AS p ON p.entry_id = e.id
     WHERE a.resolution IS NULL AND a.kind = 'reversed' AND a.vendor_id = $1 AND p.account = 'suspense'
     GROUP BY p.currency
;
SELECT vendor_id FROM balances WHERE vendor_id > $1
     UNION SELECT vendor_id FROM entries WHERE seq IS NULL AND vendor_id > $1
     UNION SELECT vendor_id FROM settlements WHERE vendor_id > $1 ORDER BY vendor_id LIMIT $2
;
SELECT e.id, e.vendor_id, e.kind, e.cause, e.session_id, e.currency, e.at, e.seq, e.hash, p.account, p.amount
             FROM (SELECT * FROM entries WHERE id IN (SELECT entry_id FROM (SELECT entry_id FROM (SELECT p.entry_id FROM postings AS p
             WHERE $5 IN ('', 'settlement', 'payment') AND p.vendor_id = $1 AND p.currency = $2 AND p.account = 'available' AND p.entry_id > $3 AND p.entry_id < $4 AND EXISTS (SELECT 1 FROM entries AS m WHERE m.id = p.entry_id AND ($5 = '' AND m.kind <> 'settlement' OR $5 = 'settlement' AND m.kind = 'settlement'
                    OR $5 = 'payment' AND m.kind IN ('payment', 'accepted', 'charged'))) ORDER BY p.entry_id DESC LIMIT $6) AS of_available UNION SELECT entry_id FROM (SELECT p.entry_id FROM postings AS p
             WHERE $5 IN ('', 'payment') AND p.vendor_id = $1 AND p.currency = $2 AND p.account = 'pending' AND p.entry_id > $3 AND p.entry_id < $4 AND EXISTS (SELECT 1 FROM entries AS m WHERE m.id = p.entry_id AND ($5 = '' AND m.kind <> 'settlement' OR $5 = 'payment' AND m.kind IN ('payment', 'accepted', 'charged'))) ORDER BY p.entry_id DESC LIMIT $6) AS of_pending UNION SELECT entry_id FROM (SELECT p.entry_id FROM postings AS p
             WHERE $5 IN ('refund') AND p.vendor_id = $1 AND p.currency = $2 AND p.account = 'refunds' AND p.entry_id > $3 AND p.entry_id < $4 AND EXISTS (SELECT 1 FROM entries AS m WHERE m.id = p.entry_id AND EXISTS (SELECT 1 FROM postings AS o
                    WHERE o.entry_id = m.id AND o.account IN ('available', 'pending'))) ORDER BY p.entry_id DESC LIMIT $6) AS of_refunds UNION SELECT entry_id FROM (SELECT p.entry_id FROM postings AS p
             WHERE $5 IN ('payout') AND p.vendor_id = $1 AND p.currency = $2 AND p.account = 'payouts' AND p.entry_id > $3 AND p.entry_id < $4 AND EXISTS (SELECT 1 FROM entries AS m WHERE m.id = p.entry_id AND m.kind IN ('payout', 'payout_failed')) ORDER BY p.entry_id DESC LIMIT $6) AS of_payouts) AS matching ORDER BY entry_id DESC LIMIT $6)) AS e JOIN postings AS p ON p.entry_id = e.id ORDER BY e.id DESC, p.line
;
SELECT e.id, e.vendor_id, e.kind, e.cause, e.session_id, e.currency, e.at, e.seq, e.hash, p.account, p.amount
             FROM (SELECT * FROM entries WHERE id IN (SELECT entry_id FROM (SELECT entry_id FROM (SELECT p.entry_id FROM postings AS p
             WHERE $5 IN ('', 'settlement', 'payment') AND p.vendor_id = $1 AND p.currency = $2 AND p.account = 'available' AND p.entry_id > $3 AND p.entry_id < $4 AND EXISTS (SELECT 1 FROM entries AS m WHERE m.id = p.entry_id AND ($5 = '' AND m.kind <> 'settlement' OR $5 = 'settlement' AND m.kind = 'settlement'
                    OR $5 = 'payment' AND m.kind IN ('payment', 'accepted', 'charged'))) ORDER BY p.entry_id ASC LIMIT $6) AS of_available UNION SELECT entry_id FROM (SELECT p.entry_id FROM postings AS p
             WHERE $5 IN ('', 'payment') AND p.vendor_id = $1 AND p.currency = $2 AND p.account = 'pending' AND p.entry_id > $3 AND p.entry_id < $4 AND EXISTS (SELECT 1 FROM entries AS m WHERE m.id = p.entry_id AND ($5 = '' AND m.kind <> 'settlement' OR $5 = 'payment' AND m.kind IN ('payment', 'accepted', 'charged'))) ORDER BY p.entry_id ASC LIMIT $6) AS of_pending UNION SELECT entry_id FROM (SELECT p.entry_id FROM postings AS p
             WHERE $5 IN ('refund') AND p.vendor_id = $1 AND p.currency = $2 AND p.account = 'refunds' AND p.entry_id > $3 AND p.entry_id < $4 AND EXISTS (SELECT 1 FROM entries AS m WHERE m.id = p.entry_id AND EXISTS (SELECT 1 FROM postings AS o
                    WHERE o.entry_id = m.id AND o.account IN ('available', 'pending'))) ORDER BY p.entry_id ASC LIMIT $6) AS of_refunds UNION SELECT entry_id FROM (SELECT p.entry_id FROM postings AS p
             WHERE $5 IN ('payout') AND p.vendor_id = $1 AND p.currency = $2 AND p.account = 'payouts' AND p.entry_id > $3 AND p.entry_id < $4 AND EXISTS (SELECT 1 FROM entries AS m WHERE m.id = p.entry_id AND m.kind IN ('payout', 'payout_failed')) ORDER BY p.entry_id ASC LIMIT $6) AS of_payouts) AS matching ORDER BY entry_id ASC LIMIT $6)) AS e JOIN postings AS p ON p.entry_id = e.id ORDER BY e.id DESC, p.line
;
SELECT CAST(COALESCE(SUM(amount), 0) AS BIGINT) FROM (
        SELECT balance AS amount FROM balances
        WHERE vendor_id = $1 AND currency = $2 AND account IN ('available', 'pending')
        UNION ALL
        SELECT p.amount FROM entries AS e JOIN postings AS p ON p.entry_id = e.id
        WHERE e.seq IS NULL AND e.vendor_id = $1 AND p.currency = $2 AND p.account IN ('available', 'pending')
        UNION ALL
        SELECT -amount FROM postings
        WHERE vendor_id = $1 AND currency = $2 AND account IN ('available', 'pending') AND entry_id > $3) AS parts
;
SELECT CAST(COALESCE(SUM(amount), 0) AS BIGINT) FROM postings
     WHERE vendor_id = $1 AND currency = $2 AND account IN ('available', 'pending')
        AND entry_id > $3 AND entry_id <= $4
;
SELECT currency, due_at, CAST(SUM(amount) AS BIGINT) FROM settlements AS s
     WHERE vendor_id = $1 AND due_at =
        (SELECT MIN(due_at) FROM settlements AS f WHERE f.vendor_id = $1 AND f.currency = s.currency)
     GROUP BY currency, due_at ORDER BY currency
