// Dark or light: as the system says, unless the button was pressed. Runs before the page is drawn.
const chosen = localStorage.getItem("theme");
if (chosen) document.documentElement.dataset.theme = chosen;
