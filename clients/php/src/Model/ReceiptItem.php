<?php

// Generated from the OpenAPI document. Do not edit: run `generate`.

declare(strict_types=1);

namespace Till\Checkout\Model;

use JsonSerializable;

/**
 * A line of a fiscal receipt.
 */
final class ReceiptItem implements JsonSerializable
{
    /**
     * @param string $name 1 to 128 characters after trimming; no control characters or bidirectional
     *     overrides.
     * @param string $price The price of one, written like the price of a session.
     * @param 'none'|'0'|'5'|'7'|'10'|'20'|'22'|'5/105'|'7/107'|'10/110'|'20/120'|'22/122' $vat The VAT
     *     rate; none if you pay no VAT. The forms with a slash are for prepayments and advances. 20 and
     *     20/120 are for refunds of what was sold before 2026.
     * @param ?string $quantity At most 99999.999, with at most 3 decimals; 1 if omitted.
     * @param ?string $amount The total of the line, to have it checked: price times quantity, rounded
     *     half up to a kopeck.
     * @param
     *     'commodity'|'excise'|'job'|'service'|'intellectual_activity'|'payment'|'agent_commission'|'another'|'gambling_bet'|'gambling_prize'|'lottery'|'lottery_prize'|null
     *     $subject What is paid for; the default in your settings, or commodity.
     * @param
     *     'full_prepayment'|'partial_prepayment'|'advance'|'full_payment'|'partial_payment'|'credit'|'credit_payment'|null
     *     $mode Whether the goods are handed over with the payment (full_payment) or later; the default in
     *     your settings, or full_payment.
     * @param
     *     'piece'|'gram'|'kilogram'|'ton'|'centimeter'|'decimeter'|'meter'|'square_centimeter'|'square_decimeter'|'square_meter'|'milliliter'|'liter'|'cubic_meter'|'kilowatt_hour'|'gigacalorie'|'day'|'hour'|'minute'|'second'|'kilobyte'|'megabyte'|'gigabyte'|'terabyte'|'another'|null
     *     $measure The unit of the quantity; piece if omitted.
     */
    public function __construct(
        public readonly string $name,
        public readonly string $price,
        public readonly string $vat,
        public readonly ?string $quantity = null,
        public readonly ?string $amount = null,
        public readonly ?string $subject = null,
        public readonly ?string $mode = null,
        public readonly ?string $measure = null,
    ) {
    }

    public function jsonSerialize(): object
    {
        return (object) array_filter([
            'name' => $this->name,
            'price' => $this->price,
            'vat' => $this->vat,
            'quantity' => $this->quantity,
            'amount' => $this->amount,
            'subject' => $this->subject,
            'mode' => $this->mode,
            'measure' => $this->measure,
        ], static fn (mixed $value) => $value !== null);
    }
}
