// One pass of every endpoint, for scripts/run-valgrind: too slow a way for `make test`.
import * as lighttpd from "../support/fronts/lighttpd.mjs";
import { flows } from "./flow.mjs";

flows("under valgrind", lighttpd.fastcgi, { redirectsPlain: false, bases: [""] });
