/** Key prefixes of vendors, each with what follows in a real key: at least so much that no word of a text looks like one. */
export const vendorKeys: readonly (readonly [prefix: string, rest: string])[] = [
  ['sk-', '[A-Za-z0-9_-]{20,8192}'], // OpenAI, Anthropic, OpenRouter, DeepSeek
  ['sk_live_', '[A-Za-z0-9]{16,8192}'], // Stripe
  ['sk_test_', '[A-Za-z0-9]{16,8192}'],
  ['rk_live_', '[A-Za-z0-9]{16,8192}'],
  ['rk_test_', '[A-Za-z0-9]{16,8192}'],
  ['whsec_', '[A-Za-z0-9+/]{16,8192}'],
  ['ymr_R', '[0-9]{1,15}_[A-Za-z0-9_-]{20,8192}'], // an attempt of ours (board/run-token.ts)
  ['ghp_', '[A-Za-z0-9]{30,8192}'], // GitHub
  ['gho_', '[A-Za-z0-9]{30,8192}'],
  ['ghu_', '[A-Za-z0-9]{30,8192}'],
  ['ghs_', '[A-Za-z0-9]{30,8192}'],
  ['ghr_', '[A-Za-z0-9]{30,8192}'],
  ['github_pat_', '[A-Za-z0-9_]{30,8192}'],
  ['glpat-', '[A-Za-z0-9_-]{16,8192}'], // GitLab
  ['gldt-', '[A-Za-z0-9_-]{16,8192}'],
  ['glrt-', '[A-Za-z0-9_-]{16,8192}'],
  ['glptt-', '[A-Za-z0-9_-]{16,8192}'],
  ['glcbt-', '[A-Za-z0-9_-]{16,8192}'],
  ['xoxa-', '[A-Za-z0-9-]{10,8192}'], // Slack
  ['xoxb-', '[A-Za-z0-9-]{10,8192}'],
  ['xoxe-', '[A-Za-z0-9-]{10,8192}'],
  ['xoxe.xox', '[A-Za-z0-9.-]{10,8192}'],
  ['xoxp-', '[A-Za-z0-9-]{10,8192}'],
  ['xoxr-', '[A-Za-z0-9-]{10,8192}'],
  ['xoxs-', '[A-Za-z0-9-]{10,8192}'],
  ['xapp-', '[A-Za-z0-9-]{10,8192}'],
  ['AIza', '[A-Za-z0-9_-]{30,8192}'], // Google
  ['ya29.', '[A-Za-z0-9_-]{20,8192}'],
  ['GOCSPX-', '[A-Za-z0-9_-]{20,8192}'],
  ['AKIA', '[A-Z0-9]{16}'], // AWS
  ['ASIA', '[A-Z0-9]{16}'],
  ['npm_', '[A-Za-z0-9]{30,8192}'],
  ['pypi-', '[A-Za-z0-9_-]{50,8192}'],
  ['rubygems_', '[a-f0-9]{40,8192}'],
  ['hf_', '[A-Za-z0-9]{30,8192}'], // Hugging Face
  ['SG.', '[A-Za-z0-9_-]{16,32}\\.[A-Za-z0-9_-]{16,64}'], // SendGrid
  ['SK', '[a-f0-9]{32}'], // Twilio
  ['key-', '[a-f0-9]{32}'], // Mailgun
  ['dop_v1_', '[a-f0-9]{40,8192}'], // DigitalOcean
  ['shpat_', '[a-fA-F0-9]{30,8192}'], // Shopify
  ['shpss_', '[a-fA-F0-9]{30,8192}'],
  ['sq0atp-', '[A-Za-z0-9_-]{20,8192}'], // Square
  ['lin_api_', '[A-Za-z0-9]{30,8192}'], // Linear
  ['ntn_', '[A-Za-z0-9]{30,8192}'], // Notion
  ['figd_', '[A-Za-z0-9_-]{30,8192}'], // Figma
  ['dckr_pat_', '[A-Za-z0-9_-]{20,8192}'], // Docker
  ['glc_', '[A-Za-z0-9+/=]{30,8192}'], // Grafana
  ['glsa_', '[A-Za-z0-9_]{30,8192}'],
  ['sntrys_', '[A-Za-z0-9+/=_-]{30,8192}'], // Sentry
  ['sntryu_', '[a-f0-9]{40,8192}'],
  ['NRAK-', '[A-Z0-9]{20,8192}'], // New Relic
  ['dapi', '[a-f0-9]{32}'], // Databricks
  ['dp.pt.', '[A-Za-z0-9]{30,8192}'], // Doppler
  ['PMAK-', '[a-f0-9-]{40,8192}'], // Postman
  ['pul-', '[a-f0-9]{40}'], // Pulumi
  ['pscale_tkn_', '[A-Za-z0-9_.-]{30,8192}'], // PlanetScale
  ['pscale_pw_', '[A-Za-z0-9_.-]{30,8192}'],
  ['sbp_', '[a-f0-9]{40}'], // Supabase
  ['tskey-', '[A-Za-z0-9-]{20,8192}'], // Tailscale
  ['xai-', '[A-Za-z0-9]{30,8192}'],
  ['gsk_', '[A-Za-z0-9]{30,8192}'], // Groq
  ['csk-', '[a-z0-9]{30,8192}'], // Cerebras
  ['fw_', '[A-Za-z0-9]{20,8192}'], // Fireworks
  ['tvly-', '[A-Za-z0-9-]{20,8192}'], // Tavily
  ['r8_', '[A-Za-z0-9]{30,8192}'], // Replicate
  ['pplx-', '[A-Za-z0-9]{30,8192}'], // Perplexity
  ['nvapi-', '[A-Za-z0-9_-]{30,8192}'],
  ['hvs.', '[A-Za-z0-9_-]{20,8192}'], // Vault
  ['ATATT', '[A-Za-z0-9_=-]{30,8192}'], // Atlassian
  ['AGE-SECRET-KEY-1', '[A-Z0-9]{50,8192}'],
]
