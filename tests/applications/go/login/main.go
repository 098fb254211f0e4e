// An application on a desktop that signs a user in with go-oidc and golang.org/x/oauth2, as kubelogin does: a code with PKCE, which
// comes back to a port of its own choice, and refresh tokens.
//
// It writes the address of the authorization request, and after the sign-in a line of JSON. For each line that it reads it refreshes
// and writes another. ISSUER, CLIENT_ID and SCOPE are in its environment.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"net"
	"net/http"
	"os"
	"strings"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"
)

type application struct {
	provider *oidc.Provider
	config   oauth2.Config
	listener net.Listener
}

func newApplication(ctx context.Context) (*application, error) {
	provider, err := oidc.NewProvider(ctx, os.Getenv("ISSUER"))
	if err != nil {
		return nil, err
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	return &application{provider, oauth2.Config{
		ClientID:    os.Getenv("CLIENT_ID"),
		Endpoint:    provider.Endpoint(),
		RedirectURL: fmt.Sprintf("http://%s/callback", listener.Addr()),
		Scopes:      strings.Fields(os.Getenv("SCOPE")),
	}, listener}, nil
}

// answer waits for the browser to come back from the authorization request with this state.
func (a *application) answer(state string) (code string, err error) {
	type result struct {
		code string
		err  error
	}
	results := make(chan result, 1)
	server := http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		query := r.URL.Query()
		fmt.Fprint(w, "You can close this page.")
		switch {
		case query.Get("error") != "":
			results <- result{err: errors.New(query.Get("error"))}
		case query.Get("state") != state:
			results <- result{err: errors.New("another state")}
		default:
			results <- result{code: query.Get("code")}
		}
	})}
	go server.Serve(a.listener)
	got := <-results
	server.Shutdown(context.Background())
	return got.code, got.err
}

func (a *application) signIn(ctx context.Context) (*oauth2.Token, error) {
	verifier, state, nonce := oauth2.GenerateVerifier(), oauth2.GenerateVerifier(), oauth2.GenerateVerifier()
	fmt.Println(a.config.AuthCodeURL(state, oidc.Nonce(nonce), oauth2.S256ChallengeOption(verifier)))
	code, err := a.answer(state)
	if err != nil {
		return nil, err
	}
	token, err := a.config.Exchange(ctx, code, oauth2.VerifierOption(verifier))
	if err != nil {
		return nil, err
	}
	id, err := a.verify(ctx, token)
	if err != nil {
		return nil, err
	}
	if id.Nonce != nonce {
		return nil, errors.New("another nonce")
	}
	return token, nil
}

func (a *application) verify(ctx context.Context, token *oauth2.Token) (*oidc.IDToken, error) {
	raw, _ := token.Extra("id_token").(string)
	id, err := a.provider.Verifier(&oidc.Config{ClientID: a.config.ClientID}).Verify(ctx, raw)
	if err != nil {
		return nil, err
	}
	return id, id.VerifyAccessToken(token.AccessToken)
}

// report writes what the application knows.
func (a *application) report(ctx context.Context, token *oauth2.Token) error {
	id, err := a.verify(ctx, token)
	if err != nil {
		return err
	}
	userinfo, err := a.provider.UserInfo(ctx, oauth2.StaticTokenSource(token))
	if err != nil {
		return err
	}
	var told, asked map[string]any
	if err := errors.Join(id.Claims(&told), userinfo.Claims(&asked)); err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(map[string]any{
		"id_token": token.Extra("id_token"), "access_token": token.AccessToken, "refresh_token": token.RefreshToken,
		"claims": told, "userinfo": asked,
	})
}

func run(ctx context.Context) error {
	a, err := newApplication(ctx)
	if err != nil {
		return err
	}
	token, err := a.signIn(ctx)
	if err != nil {
		return err
	}
	if err := a.report(ctx, token); err != nil {
		return err
	}
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		token, err = a.config.TokenSource(ctx, &oauth2.Token{RefreshToken: token.RefreshToken}).Token()
		if err != nil {
			return err
		}
		if err := a.report(ctx, token); err != nil {
			return err
		}
	}
	return nil
}

func main() {
	log.SetFlags(0)
	if err := run(context.Background()); err != nil {
		log.Fatal(err)
	}
}
