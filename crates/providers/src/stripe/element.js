// Stripe's card form, in the checkout's page. The card goes from its frame to Stripe; neither this script nor the shop
// sees it. What became of the payment is asked of our server, never believed from here.
(() => {
  const place = document.querySelector('[data-element]');
  if (!place) return;
  const russian = document.documentElement.lang === 'ru';
  const word = (english, text) => (russian ? text : english);
  const { publishable_key: key, client_secret: clientSecret, script, back } = JSON.parse(place.dataset.values);

  const tell = (text, kind) => {
    const line = document.createElement('p');
    line.className = kind;
    if (kind === 'err') line.setAttribute('role', 'alert');
    line.textContent = text;
    line.dataset.testid = `element-${kind}`;
    return line;
  };
  const working = () => tell(word('The bank is processing the payment', 'Банк обрабатывает платёж'), 'wait');
  const unreachable = () => place.replaceChildren(tell(word(
    'We couldn’t load the card form. Reload the page, or choose another way to pay.',
    'Не удалось загрузить форму карты. Обновите страницу или выберите другой способ оплаты.',
  ), 'err'));

  // Our server asks Stripe, and shows what is true.
  const settle = () => {
    const form = document.createElement('form');
    form.method = 'post';
    form.action = `${new URL(back, location).pathname}/check`;
    form.hidden = true;
    document.body.append(form);
    form.submit();
  };

  const ask = async stripe => {
    place.replaceChildren(working());
    const { paymentIntent } = await stripe.retrievePaymentIntent(clientSecret);
    if (paymentIntent?.status !== 'requires_action') return;
    // The page was loaded anew while the bank asked its question.
    place.toggleAttribute('data-busy', true);
    await stripe.handleNextAction({ clientSecret });
    settle();
  };

  // The form looks like the page around it, by day and by night.
  const night = matchMedia('(prefers-color-scheme: dark)');
  const appearance = () => {
    const style = getComputedStyle(document.documentElement);
    const token = name => style.getPropertyValue(name).trim();
    const variables = { colorPrimary: token('--green'), colorBackground: token('--surface'), colorText: token('--ink') };
    return {
      theme: night.matches ? 'night' : 'stripe',
      variables: { ...variables, colorDanger: token('--red'), fontFamily: 'system-ui, sans-serif', borderRadius: token('--r') },
    };
  };

  const mount = stripe => {
    const elements = stripe.elements({ clientSecret, locale: russian ? 'ru' : 'en', appearance: appearance() });
    night.addEventListener('change', () => elements.update({ appearance: appearance() }));
    const form = document.createElement('form');
    const field = document.createElement('div');
    const button = document.createElement('button');
    let problem = document.createElement('p');
    problem.hidden = true;
    form.className = 'tight';
    button.className = 'btn go full';
    button.dataset.testid = 'element-pay';
    button.textContent = place.dataset.pay;
    form.append(field, problem, button);
    place.replaceChildren(form);
    // Cards alone: a wallet would need more of the page than it opens.
    const element = elements.create('payment', { wallets: { applePay: 'never', googlePay: 'never', link: 'never' } });
    element.on?.('loaderror', unreachable);
    element.mount(field);
    form.addEventListener('submit', async event => {
      event.preventDefault();
      event.stopPropagation();
      if (button.disabled) return;
      // The page is not replaced meanwhile: the bank may be asking something in it.
      const busy = yes => {
        button.disabled = yes;
        place.toggleAttribute('data-busy', yes);
      };
      busy(true);
      const { error } = await stripe.confirmPayment({ elements, confirmParams: { return_url: back }, redirect: 'if_required' })
        .catch(() => ({ error: { type: 'api_connection_error' } }));
      // What Stripe never tried can be tried again; everything else is for our server to say.
      if (error?.type === 'validation_error') busy(false);
      else if (error?.type === 'api_connection_error') {
        const line = tell(word('Can’t reach the bank. Try again.', 'Нет связи с банком. Попробуйте ещё раз.'), 'err');
        problem.replaceWith(line);
        problem = line;
        busy(false);
      } else settle();
    });
  };

  const load = document.createElement('script');
  load.src = script;
  load.addEventListener('error', unreachable);
  load.addEventListener('load', () => {
    const stripe = window.Stripe(key);
    if ('inFlight' in place.dataset) ask(stripe).catch(() => {});
    else mount(stripe);
  });
  document.head.append(load);
})();
