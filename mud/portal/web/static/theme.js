// Dark or light: as the system says, until the button was pressed. Runs before the page is drawn.
const dark = matchMedia("(prefers-color-scheme: dark)");
const root = document.documentElement;

try {
  const chosen = localStorage.getItem("theme");
  if (chosen) root.dataset.theme = chosen;
} catch {
  // A browser that keeps nothing goes by the system.
}

document.addEventListener("DOMContentLoaded", () => {
  const button = document.getElementById("theme");
  const isDark = () => (root.dataset.theme ?? (dark.matches ? "dark" : "light")) === "dark";
  const label = () => {
    button.setAttribute("aria-label", isDark() ? "Light page" : "Dark page");
    button.title = button.getAttribute("aria-label");
  };
  button.addEventListener("click", () => {
    root.dataset.theme = isDark() ? "light" : "dark";
    try {
      localStorage.setItem("theme", root.dataset.theme);
    } catch {
      // Then it holds for this page.
    }
    label();
    root.dispatchEvent(new Event("themechange"));
  });
  dark.addEventListener("change", label);
  label();
});
