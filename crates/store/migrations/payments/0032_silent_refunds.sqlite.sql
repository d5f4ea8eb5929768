-- Since when a provider has not answered about a refund: a person is told after a day.
ALTER TABLE refunds ADD COLUMN silent_since INTEGER;

CREATE INDEX refunds_due ON refunds (provider, check_at) WHERE check_at IS NOT NULL;
