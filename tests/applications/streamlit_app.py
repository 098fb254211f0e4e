"""An application of Streamlit that shows what it knows of its user."""
import json

import streamlit as st

if st.user.is_logged_in:
    st.text(json.dumps(st.user.to_dict()))
    st.button("Log out", on_click=st.logout)
else:
    st.button("Log in", on_click=st.login)
