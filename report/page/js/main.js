// The page's script, as it is: no imports. Charts, tables and the switch work without it. It adds the stepper's
// slider and opens all details for print.
(() => {
  const opened = [];
  function open() {
    if (opened.length > 0) return;
    for (const one of document.querySelectorAll('details:not([open])')) {
      one.open = true;
      opened.push(one);
    }
  }
  function close() {
    for (const one of opened.splice(0)) one.open = false;
  }
  addEventListener('beforeprint', open);
  addEventListener('afterprint', close);
  matchMedia('print').addEventListener('change', (event) => (event.matches ? open() : close()));

  for (const stepper of document.querySelectorAll('.stepper')) {
    const captions = [...stepper.querySelectorAll('li')];
    const label = Object.assign(document.createElement('label'), { textContent: 'Step (mouse or arrow keys)' });
    const slider = Object.assign(document.createElement('input'), { type: 'range', min: 0, max: captions.length - 1, value: 0 });
    function show() {
      const step = Number(slider.value);
      captions.forEach((caption, i) => caption.classList.toggle('shown', i === step));
      for (const one of stepper.querySelectorAll('[data-since]')) one.classList.toggle('later', Number(one.dataset.since) > step);
      for (const one of stepper.querySelectorAll('[data-now]'))
        one.classList.toggle('now', one.dataset.now.split(' ').includes(slider.value));
    }
    slider.addEventListener('input', show);
    label.append(slider);
    stepper.prepend(label);
    stepper.classList.add('live');
    show();
  }
})();
