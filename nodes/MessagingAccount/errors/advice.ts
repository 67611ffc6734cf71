/** What to do if the service refuses a request without saying why. */
export const CHECK_PARAMETERS =
	'Check the parameters, and use Get Status to see whether the account is connected.';

/** The same for the status itself: its request has no parameters, and another one would tell no more. */
export const CHECK_CREDENTIAL = "Check 'Base URL', 'Client ID' and 'Token' in the credential.";
