// An API that verifies access tokens with the IDTokenVerifier of go-oidc: reads a token a line, and writes a line of JSON with its
// claims or the error. ISSUER is in its environment, and AUDIENCE, without which the audience is not checked.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"log"
	"os"

	"github.com/coreos/go-oidc/v3/oidc"
)

func verify(ctx context.Context, verifier *oidc.IDTokenVerifier, raw string) map[string]any {
	token, err := verifier.Verify(ctx, raw)
	if err != nil {
		return map[string]any{"error": err.Error()}
	}
	var claims map[string]any
	if err := token.Claims(&claims); err != nil {
		return map[string]any{"error": err.Error()}
	}
	return map[string]any{"claims": claims}
}

func main() {
	log.SetFlags(0)
	ctx := context.Background()
	provider, err := oidc.NewProvider(ctx, os.Getenv("ISSUER"))
	if err != nil {
		log.Fatal(err)
	}
	audience := os.Getenv("AUDIENCE")
	verifier := provider.Verifier(&oidc.Config{ClientID: audience, SkipClientIDCheck: audience == ""})
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		json.NewEncoder(os.Stdout).Encode(verify(ctx, verifier, lines.Text()))
	}
}
