module.exports = { eslint: { ignoreDuringBuilds: true } };
