import { onPostgreSQL } from "./suite.mjs";

onPostgreSQL("rfc", [["endpoints answer as the RFCs say", "--source-file=*rfc/rfc*_test.cpp"]], { roles: true });
