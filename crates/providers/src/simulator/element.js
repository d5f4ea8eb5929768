// The simulated provider's card form, in the checkout's page. A real one would ask for a card here; this one asks
// what the bank shall answer, and tells the bank.
(() => {
  const place = document.querySelector('[data-element]');
  if (!place) return;
  const russian = document.documentElement.lang === 'ru';
  const { page } = JSON.parse(place.dataset.values);
  const answers = [
    ['approve', 'Approve', 'Одобрить'],
    ['approve_slowly', 'Approve after a delay', 'Одобрить с задержкой'],
    ['three_ds', 'Require 3-D Secure first', 'Запросить 3-D Secure'],
    ['decline', 'Decline', 'Отклонить'],
    ['insufficient_funds', 'Decline: insufficient funds', 'Отклонить: недостаточно средств'],
    ['card_expired', 'Decline: card expired', 'Отклонить: срок действия карты истёк'],
  ];
  if ('inFlight' in place.dataset) {
    place.textContent = russian ? 'Банк обрабатывает платёж.' : 'The bank is processing the payment.';
    return;
  }
  const form = document.createElement('form');
  form.method = 'post';
  form.action = page;
  form.className = 'tight';
  for (const [value, english, text] of answers) {
    const button = document.createElement('button');
    button.className = form.children.length ? 'btn full' : 'btn go full';
    button.name = 'decision';
    button.value = value;
    button.dataset.testid = `element-${value}`;
    button.textContent = russian ? text : english;
    form.append(button);
  }
  place.replaceChildren(form);
})();
