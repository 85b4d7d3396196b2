/** The entrance: keep the secret that asks for things, which belongs to this port alone, and go on to the page. */

import { keepSecret } from "./ask.js";

if (document.body.dataset.secret) keepSecret(document.body.dataset.secret);
location.replace("/");
